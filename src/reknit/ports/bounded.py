"""Work on untrusted text that can be ended: by its limits, and by whoever waits for it."""

from collections.abc import Callable
from typing import Protocol, TypeVar, TypeVarTuple

from reknit.core.text.work_limits import Unfinished, WorkLimits

Given = TypeVarTuple("Given")
R = TypeVar("R")


class BoundedCalls(Protocol):
    """Calls pure functions of `core` outside this process. Only listed functions can be called."""

    async def run(self, limits: WorkLimits, function: Callable[[*Given], R], *given: *Given) -> R | Unfinished:
        """Cancelling ends the work. What the function raises (ReknitError, ValueError) is raised here too."""

    def run_and_wait(self, limits: WorkLimits, function: Callable[[*Given], R], *given: *Given) -> R | Unfinished:
        """The same for a caller without an event loop; Ctrl-C ends the work."""

    def close(self) -> None:
        """Nothing of it is left running. Idempotent."""
