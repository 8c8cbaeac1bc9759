"""Protocols of boxes for untrusted commands, and of the work that runs in them or in a bounded process."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, TypeVarTuple

from reknit.core.box import BoxView, Command, CommandResult, Probe
from reknit.core.setup.layers import Layer, Setup, SetupFailed
from reknit.core.tamper_checks.checks import Harness
from reknit.core.testing.command import TestCommand
from reknit.core.testing.report import TestReport
from reknit.core.text.untrusted_input import UnfinishedWork, WorkLimits
from reknit.ports.gateway import BoxServer


class Box(Protocol):
    """Runs a command in isolation. Cancelling `run` kills everything in the box before it returns."""

    name: str

    def self_test(self) -> Sequence[Probe]:
        """Probe the isolation. Raises ToolMissingError if no box can be created."""

    async def run(self, view: BoxView, command: Command, gateway: BoxServer | None = None) -> CommandResult: ...


Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")


class BoundedCalls(Protocol):
    """Runs pure functions of `core` in another process. Only listed functions can be called."""

    async def run(
        self, limits: WorkLimits, function: Callable[[*Arguments], R], *arguments: *Arguments
    ) -> R | UnfinishedWork:
        """Call the function; cancelling stops it. Its exceptions (ReknitError, ValueError) are raised here too."""

    def run_and_wait(
        self, limits: WorkLimits, function: Callable[[*Arguments], R], *arguments: *Arguments
    ) -> R | UnfinishedWork:
        """Call the function for a caller without an event loop; Ctrl-C stops the work."""

    def close(self) -> None:
        """Stop the child processes. Idempotent."""


class SuiteRunner(Protocol):
    """Runs a repository's tests in a box."""

    async def run(
        self, command: TestCommand, view: BoxView, box: Box, *, only: Sequence[str] = (), outbox: str, wall_s: float,
        on_results: Callable[[bytes], None] | None = None,
    ) -> TestReport:  # fmt: skip
        """Run the suite. `only`: selected test ids. `outbox`: an empty host folder for reports, outside the tree.

        `on_results`: receives what the runner's reporter sends, as it arrives, for display only.
        """

    async def call(
        self, command: TestCommand, view: BoxView, box: Box, harness: Harness, *, wall_s: float
    ) -> CommandResult:
        """Run the second harness where the tests of this command run, with their services."""


@dataclass(frozen=True)
class SetupOrder:
    """One set-up of a project, and where it runs."""

    setup: Setup
    layer: str
    """Name under which the installed files are stored."""
    view: BoxView
    """A fresh tree of the commit that the set-up belongs to."""
    tracked_folders: Collection[str]
    outbox: str
    """An empty host folder on the same disk."""
    wall_s: float


class LayerBuild(Protocol):
    """The right to build one layer; nobody else builds it meanwhile."""

    async def run(self, order: SetupOrder, box: Box) -> SetupFailed | None:
        """Install, and store the layer. Return the failure, or None."""

    def close(self) -> None: ...


class ProjectSetups(Protocol):
    """Runs the set-ups of projects and stores what they install as layers."""

    def toolchain(self, setup: Setup) -> Sequence[str]:
        """Identify the installed programs that the set-up uses; a change makes another layer."""

    def names(self, key: str) -> Sequence[str]:
        """List the stored layers with this key, which `core/setup/layers.py` makes."""

    def hold(self, name: str, holder: str) -> Layer | None:
        """Return the layer with this name and keep it at least until `release(holder)`; None if there is none."""

    def build(self, name: str) -> LayerBuild | None:
        """Start to build this layer. Return None if another process builds it now."""

    def release(self, holder: str) -> None:
        """Let the holder's layers be removed; does nothing if it holds none."""
