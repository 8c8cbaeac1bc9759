"""Where untrusted commands run."""

from collections.abc import Sequence
from typing import Protocol

from reknit.core.box import BoxView, Command, CommandResult, Probe
from reknit.ports.gateway import BoxServer


class Box(Protocol):
    """Runs a command in isolation. Cancelling `run` kills everything in the box before it returns."""

    name: str

    def self_test(self) -> Sequence[Probe]:
        """Probe the isolation. Raises ToolMissing if no box can be created."""

    async def run(self, view: BoxView, command: Command, gateway: BoxServer | None = None) -> CommandResult: ...
