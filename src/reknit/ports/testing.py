"""Runs a repository's tests."""

from collections.abc import Sequence
from typing import Protocol

from reknit.core.box import BoxView, CommandResult
from reknit.core.tamper_checks.checks import Harness
from reknit.core.testing.command import TestCommand
from reknit.core.testing.report import TestReport
from reknit.ports.box import Box


class SuiteRunner(Protocol):
    """Runs a repository's tests in a box."""

    async def run(
        self, command: TestCommand, view: BoxView, box: Box, *, only: Sequence[str] = (), outbox: str, wall_s: float
    ) -> TestReport:
        """`only`: selected test ids. `outbox`: an empty host folder for reports, outside the tree."""

    async def call(
        self, command: TestCommand, view: BoxView, box: Box, harness: Harness, *, wall_s: float
    ) -> CommandResult:
        """Runs the second harness where the tests of this command run, with their services."""
