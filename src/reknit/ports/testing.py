"""Runs a repository's tests."""

from collections.abc import Sequence
from typing import Protocol

from reknit.core.box import BoxView
from reknit.core.testing.command import TestCommand
from reknit.core.testing.report import TestReport
from reknit.ports.box import Box


class SuiteRunner(Protocol):
    """Runs a repository's tests in a box."""

    async def run(
        self, command: TestCommand, view: BoxView, box: Box, *, only: Sequence[str] = (), outbox: str, wall_s: float
    ) -> TestReport:
        """`only`: selected test ids. `outbox`: an empty host folder for reports, outside the tree."""
