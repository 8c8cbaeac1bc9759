"""Describes which change a `review` run reads, and what it does with the findings."""

from dataclasses import dataclass
from typing import ClassVar

from reknit.core.agents.call import AgentSettings
from reknit.core.agents.reviewer import Reviewer
from reknit.core.issues.lifecycle import Status
from reknit.core.planning.targets import VariantTarget
from reknit.core.runs.spec import Task


@dataclass(frozen=True)
class ReviewChange(Task):
    """Let reviewers read a change, and repair their findings."""

    kind: ClassVar[str] = "review"
    since: str
    """The commit that the change is compared with; the change ends at the base of the run."""
    about: str
    """The name of the change, for people: `main..HEAD`, `what is staged`."""
    reviewers: tuple[tuple[Reviewer, AgentSettings], ...]
    """In the order of their entries in the progress file, each with its agent."""
    at_once: int = 1
    """Maximum number of reviewers that read at the same time."""
    skipped: tuple[str, ...] = ()
    """Reviewers that are for other languages."""
    strict: bool = False
    """Fix the findings of every level, not only of blocking reviewers."""
    report_only: bool = False
    again: bool = False
    """Also try findings that an earlier run failed to fix."""
    progress: str = "PROGRESS.txt"
    """The file in the working tree that lists findings and fixes; empty: none is written."""
    resumes: str = ""
    """The run whose reviewers have been asked already; what the file lists now is fixed."""
    second_look: bool = False
    """Let blocking reviewers read the whole change again after the last fix."""
    second: AgentSettings | None = None
    """An agent of another vendor, asked about each blocking finding whether it is real."""
    pull: str = ""
    """The URL of the pull request, if its head is reviewed; then the commits are only in the run's gitdir."""
    variant: VariantTarget | None = None
    """The plan that started this run; None: a person did."""

    @property
    def statuses(self) -> tuple[Status, ...]:
        """Return the statuses of issues that are fixed: what failed is tried again only on request."""
        return ("OPEN", "FAILED") if self.resumes or self.again else ("OPEN",)

    @property
    def is_on_forge(self) -> bool:
        """Return True if the head of a pull request is reviewed: its commits come from the forge."""
        return bool(self.pull)
