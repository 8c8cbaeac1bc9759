"""Work on untrusted text that its limits or its caller can stop."""

from collections.abc import Callable
from typing import Protocol, TypeVar, TypeVarTuple

from reknit.core.text.work_limits import Unfinished, WorkLimits

Given = TypeVarTuple("Given")
R = TypeVar("R")


class BoundedCalls(Protocol):
    """Runs pure functions of `core` in another process. Only listed functions can be called."""

    async def run(self, limits: WorkLimits, function: Callable[[*Given], R], *given: *Given) -> R | Unfinished:
        """Cancelling stops the work. Exceptions of the function (ReknitError, ValueError) are raised here too."""

    def run_and_wait(self, limits: WorkLimits, function: Callable[[*Given], R], *given: *Given) -> R | Unfinished:
        """The same for a caller without an event loop; Ctrl-C stops the work."""

    def close(self) -> None:
        """Stop the child processes. Idempotent."""
