"""The task of a `fix pr` run."""

from dataclasses import dataclass
from typing import ClassVar

from reknit.core.agents.call import AgentSettings
from reknit.core.agents.reviewer import Reviewer
from reknit.core.forge.values import ForgePlace
from reknit.core.planning.targets import VariantTarget
from reknit.core.runs.limits import PullLimits
from reknit.core.runs.spec import Task


def make_pull_key(place: ForgePlace, number: int) -> str:
    """Return the key of a pull request; across all workers, only one run per key writes to it."""
    return f"{place.api.rstrip('/')} {place.slug}#{number}".lower()


@dataclass(frozen=True)
class FixPullRequest(Task):
    """Repair a pull request: its tests, its CI and the findings of its review."""

    kind: ClassVar[str] = "fix pr"
    place: ForgePlace
    number: int
    url: str
    title: str
    reviewer: AgentSettings | None
    """The agent that reviews; None: only remarks of people and bots on the pull request count."""
    comment: bool = True
    """True if the run writes one comment on the pull request."""
    limits: PullLimits = PullLimits()
    attended: bool = False
    """True if a person started it at a terminal, so that the limit on runs in a row (`hops`) does not apply."""
    guides: tuple[Reviewer, ...] = ()
    """Reviewers whose instructions the review also follows."""
    variant: VariantTarget | None = None
    """The plan that started this run; None: a person did."""

    @property
    def claim(self) -> str:
        """Return the key of the pull request."""
        return make_pull_key(self.place, self.number)

    @property
    def is_on_forge(self) -> bool:
        """Return True, because the commits of a pull request come from the forge."""
        return True
