"""Fix mode: where its state is stored, and the files by which a window learns about it."""

from typing import Protocol

from reknit.core.hook.answer import Answer
from reknit.core.hook.mode import CheckResult, FixMode


class FixModes(Protocol):
    def settle(self, mode_id: str, run_id: str, result: CheckResult) -> FixMode:
        """The result of that check counts once."""


class PullExports(Protocol):
    def publish(self, repository: str, run_id: str) -> None:
        """Shows other tools where the run is, if a window of that repository is told about it."""


class FixModeFiles(Protocol):
    def publish(self, mode: FixMode, answer: Answer | None = None, run_id: str = "") -> None:
        """`answer`: what the result of that check is answered with."""
