"""Adapters that steps use, looked up when they run, so that a checkpoint holds values only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from reknit.core.runs.spec import RunSpec
from reknit.ports.agents import AgentMaker, CallWatcher, PromptMaker
from reknit.ports.box import BoundedCalls, Box, ProjectSetups, SuiteRunner
from reknit.ports.forge import ForgeMaker
from reknit.ports.gateway import Accounts
from reknit.ports.issues import IssueLedger
from reknit.ports.repository import WorkingTreeFiles, Workspace
from reknit.ports.runs import FixModeFiles, FixModes, Outage, RunLedger, StateExports, Tracer


class CheckEnvironment(Protocol):
    """Check that raises if a result cannot be trusted: the disk is full, or the repository is gone."""

    def __call__(self, spec: RunSpec, *, ran_out_of_space: bool = False) -> None: ...


@dataclass(frozen=True)
class Services:
    """Every adapter that a step may use."""

    ledger: RunLedger
    accounts: Accounts
    issues: IssueLedger
    box: Callable[[str], Box]
    """Returns the box of that name, only if it passed its self-test."""
    agent: AgentMaker
    watch_call: CallWatcher
    forge: ForgeMaker
    tests: SuiteRunner
    setups: ProjectSetups
    calls: BoundedCalls
    """Bounded child processes for work on text that an agent wrote."""
    environment: Callable[[RunSpec], str]
    """Identity of everything besides the tree that test results depend on; empty if it is not known."""
    workspace: Callable[[RunSpec], Workspace]
    prompt: PromptMaker
    working_tree: WorkingTreeFiles
    fix_modes: FixModes
    fix_mode_files: FixModeFiles
    state_exports: StateExports
    check_surroundings: CheckEnvironment
    outage: Outage
    clock: Callable[[], float]
    trace: Tracer


_installed: list[Services] = []


def install(services: Services) -> None:
    """Set the services of this process, once, before the engine is launched."""
    _installed[:] = [services]


def current_services() -> Services:
    """Return the services of this process."""
    return _installed[0]
