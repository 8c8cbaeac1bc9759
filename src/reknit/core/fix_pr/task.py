"""Describes what a `fix pr` run repairs."""

from dataclasses import dataclass
from typing import ClassVar

from reknit.core.agents.call import AgentSettings
from reknit.core.agents.reviewer import Reviewer
from reknit.core.forge.values import ForgePlace
from reknit.core.runs.limits import PullLimits
from reknit.core.runs.spec import Task


def pull_key(place: ForgePlace, number: int) -> str:
    """Return the key of a pull request: one run per key writes to it, across the whole fleet."""
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
    """None: no agent reviews; what people and bots left on the pull request still counts."""
    comment: bool = True
    """Write one comment on the pull request."""
    limits: PullLimits = PullLimits()
    attended: bool = False
    """A person started it at a terminal, so the limit on runs in a row (`hops`) does not apply."""
    guides: tuple[Reviewer, ...] = ()
    """Reviewers whose instructions the review follows too."""

    @property
    def claim(self) -> str:
        """Only one run works on a pull request."""
        return pull_key(self.place, self.number)

    @property
    def is_on_forge(self) -> bool:
        """The commits of a pull request come from the forge."""
        return True
