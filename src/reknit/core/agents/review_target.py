"""What a review run was asked."""

from dataclasses import dataclass

from reknit.core.agents.call import AgentSettings
from reknit.core.agents.reviewer import Reviewer


@dataclass(frozen=True)
class ReviewTarget:
    """The change that reviewers read, and what is done with their findings."""

    since: str
    """The commit that the change is compared with; the change ends at the base of the run."""
    about: str
    """What is reviewed, for people: `main..HEAD`, `what is staged`."""
    reviewers: tuple[tuple[Reviewer, AgentSettings], ...]
    """In the order in which they are asked, each with its agent."""
    skipped: tuple[str, ...] = ()
    """Reviewers that are for other languages."""
    strict: bool = False
    """Fix the findings of every level, not only of blocking reviewers."""
    report_only: bool = False
    progress: str = "PROGRESS.txt"
    """The file in the working tree that lists findings and fixes; empty: none is written."""
    resumes: str = ""
    """The run whose reviewers have been asked already; what the file lists now is fixed."""
    second: AgentSettings | None = None
    """An agent of another vendor, asked about each blocking finding whether it is real."""
    pull: str = ""
    """The URL of the pull request, if its head is reviewed; then the commits are only in the run's gitdir."""
