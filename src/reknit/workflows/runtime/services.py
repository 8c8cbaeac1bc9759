"""What steps may use, looked up when they run, so that a checkpoint holds values only and any worker can continue."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from reknit.core.runs.spec import RunSpec
from reknit.ports.agents import AgentMaker
from reknit.ports.bounded import BoundedCalls
from reknit.ports.box import Box
from reknit.ports.forge import ForgeMaker
from reknit.ports.gateway import Accounts
from reknit.ports.hook import FixModeFiles, FixModes, PullExports
from reknit.ports.issues import IssueLedger
from reknit.ports.prompts import PromptMaker
from reknit.ports.repository import Workspace
from reknit.ports.runs import Outage, RunLedger, Tracer
from reknit.ports.setup import ProjectSetups
from reknit.ports.testing import SuiteRunner
from reknit.ports.working_tree import WorkingTreeFiles


class CheckEnvironment(Protocol):
    """Raises if a result cannot be trusted: the disk is full, or the repository is gone."""

    def __call__(self, spec: RunSpec, *, ran_out_of_space: bool = False) -> None: ...


@dataclass(frozen=True)
class Services:
    ledger: RunLedger
    accounts: Accounts
    issues: IssueLedger
    box: Callable[[str], Box]
    """By name; returns only a box that passed its self-test."""
    agent: AgentMaker
    forge: ForgeMaker
    tests: SuiteRunner
    setups: ProjectSetups
    calls: BoundedCalls
    """For work on text that an agent wrote."""
    environment: Callable[[RunSpec], str]
    """What the results of tests depend on beside the tree; empty: not known."""
    workspace: Callable[[RunSpec], Workspace]
    prompt: PromptMaker
    working_tree: WorkingTreeFiles
    fix_modes: FixModes
    fix_mode_files: FixModeFiles
    pull_exports: PullExports
    check_surroundings: CheckEnvironment
    outage: Outage
    clock: Callable[[], float]
    trace: Tracer


_installed: list[Services] = []


def install(services: Services) -> None:
    """Called once per process, before the engine is launched."""
    _installed[:] = [services]


def current() -> Services:
    return _installed[0]
