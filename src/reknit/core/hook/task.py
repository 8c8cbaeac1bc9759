"""Describes the task of a check of a window's work."""

from dataclasses import dataclass
from typing import ClassVar

from reknit.core.runs.spec import Task


@dataclass(frozen=True)
class HookCheck(Task):
    """Check the working tree that the window of an agent left when it stopped."""

    kind: ClassVar[str] = "hook check"
    named_tests: tuple[str, ...]
    """The test that shows the bug."""
    bug: str
    """The id that a person gave to the bug."""
    mode: str = ""
    """The id of the window's fix mode."""
    attempt: int = 0
    after: str = ""
    """The working tree, as a commit."""
