"""The task of a `fix issues` run."""

from dataclasses import dataclass
from typing import ClassVar

from reknit.core.agents.call import AgentSettings
from reknit.core.gate.needed_waivers import NotAllowed
from reknit.core.planning.targets import VariantTarget
from reknit.core.repository.file_kinds import DeveloperKind
from reknit.core.runs.limits import IssueLimits
from reknit.core.runs.spec import Task


@dataclass(frozen=True)
class Batch:
    """Issues that one agent call works on."""

    number: int
    """Number in the order of work, from 1."""
    kind: DeveloperKind
    issues: tuple[int, ...]
    points: int


def make_issues_key(repository: str) -> str:
    """Return the key of a repository's backlog: one run per key works on it."""
    return f"issues {repository}"


@dataclass(frozen=True)
class FixIssues(Task):
    """Repair issues of the ledger, in batches, with one commit for all; a plan gets one for each batch."""

    kind: ClassVar[str] = "fix issues"
    repository: str
    """The repository's name in the issue ledger (`core/issues/model.py`)."""
    batches: tuple[Batch, ...]
    challenger: AgentSettings | None
    unchallenged: str = ""
    """Why there is no challenger."""
    by_choice: bool = False
    """True if the user switched the challenger off."""
    limits: IssueLimits = IssueLimits()
    guides: tuple[tuple[str, str], ...] = ()
    """(name, text) of the instruction files fixer, dev_be, dev_fe, engineering_principles and fix_challenger."""
    tools: tuple[str, ...] = ()
    """Tools whose own fixes are tried before an agent is called. They run again after each fix."""
    others: tuple[int, ...] = ()
    """Issues in no batch: a tool fixed them, or no longer reports them."""
    not_allowed: NotAllowed = NotAllowed()
    again: bool = False
    """True if the run may also take issues that failed before."""
    variant: VariantTarget | None = None
    """The plan whose tasks are the issues; None: no plan started this run."""

    @property
    def claim(self) -> str:
        """Return the key of the repository's backlog."""
        return make_issues_key(self.repository)

    @property
    def issues(self) -> tuple[int, ...]:
        """Return all issues of the run, in the order of work."""
        return (*(issue for batch in self.batches for issue in batch.issues), *self.others)
