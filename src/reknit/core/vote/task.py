"""Describes the task of a `vote` run."""

from dataclasses import dataclass
from typing import ClassVar

from reknit.core.agents.call import AgentSettings
from reknit.core.forge.values import ForgePlace
from reknit.core.runs.limits import VoteLimits
from reknit.core.runs.spec import Task


@dataclass(frozen=True)
class VoteOnPullRequest(Task):
    """Let two agents of different vendors vote on a pull request."""

    kind: ClassVar[str] = "vote"
    place: ForgePlace
    number: int
    url: str
    title: str
    voters: tuple[AgentSettings, ...]
    comment: bool = True
    """Write one comment on the pull request."""
    limits: VoteLimits = VoteLimits()
    guides: tuple[tuple[str, str], ...] = ()
    """(name, text) of the reviewer files."""
    backend: tuple[str, ...] = ()
    """Additional file extensions that select the backend guides."""
    frontend: tuple[str, ...] = ()
    """Additional file extensions that select the frontend guides."""

    @property
    def is_on_forge(self) -> bool:
        """Return True: the commits of a pull request come from the forge."""
        return True
