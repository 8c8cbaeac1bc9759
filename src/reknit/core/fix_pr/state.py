"""The course of a pull-request run, as values: what was seen, what was done, what may come next."""

from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.agents.call import Outcome, RateLimited, Unusable
from reknit.core.agents.strategy import Strategy
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks_snapshot import CheckState
from reknit.core.fix_pr.convergence import FindingCounts
from reknit.core.fix_pr.matrix import Part
from reknit.core.forge.values import CiCheck
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import Ending
from reknit.core.runs.limits import PullLimits


@dataclass(frozen=True)
class RoundMeasurement:
    seen: FindingCounts
    spent_usd: float
    seconds: float
    """Worked on the checks of this look."""


@dataclass(frozen=True)
class Turn:
    """One iteration that came to a decision, as it is shown and remembered."""

    number: int
    head: str
    review: CheckState
    tests: CheckState
    ci: CheckState
    shown: tuple[str, str, str]
    """Review, tests and CI in a few words each, for people."""
    did: str
    """What was decided or done, for people."""
    signature: str
    seen: FindingCounts
    commit: str = ""
    """What it pushed; empty: nothing landed."""
    fixes: int = 0
    cost_usd: float = 0.0
    feedback: str = ""
    """Why its fix did not land, for the next attempt."""
    grown_source: int = 0
    grown_tests: int = 0
    """Net lines its commit added."""
    answered: tuple[str, ...] = ()
    """Reviews that its commit answers: they stay on the pull request until their author looks again."""


@dataclass(frozen=True)
class Fix:
    number: int
    """Of the iteration, and of the attempt: each iteration makes one."""
    parts: tuple[Part, ...]
    findings: tuple[Finding, ...]
    strategy: Strategy
    agent: str
    feedback: str
    only_critical: bool


@dataclass(frozen=True)
class Rerun:
    checks: tuple[CiCheck, ...]


@dataclass(frozen=True)
class Wait:
    """For CI, or for what could not be seen."""

    why: Literal["ci", "error"]
    seconds: float
    looks: int
    """How many quick looks at CI fit in before everything is looked at again; 0: none."""


@dataclass(frozen=True)
class StopPullRun:
    ending: Ending

    @property
    def claims_success(self) -> bool:
        """Then all of it is looked at once more: people push and talk while a review takes its minutes."""
        return self.ending.word == "CLEAN"


Move = Fix | Rerun | Wait | StopPullRun


@dataclass(frozen=True)
class PullRunState:
    rotation: AgentRotation
    turns: tuple[Turn, ...] = ()
    head: str = ""
    """The commit that the counts below are about."""
    pending_looks: int = 0
    pending_s: float = 0.0
    """Waited for CI since everything was last looked at."""
    heads: int = 0
    """Other heads in a row that somebody else brought while nothing was fixed."""
    errors: int = 0
    """Looks in a row at which nothing could be decided."""
    hindered: int = 0
    """Waits for the forge in a row."""
    worked_s: float = 0.0
    spent_usd: float = 0.0
    broke: Outcome | None = None
    """How the last attempt ended."""
    readers: AgentRotation = AgentRotation(())
    """Who reviews."""

    @property
    def number(self) -> int:
        return len(self.turns) + 1

    @property
    def commits(self) -> tuple[str, ...]:
        return tuple(turn.commit for turn in self.turns if turn.commit)

    @property
    def answered(self) -> tuple[str, ...]:
        return tuple(remark for turn in self.turns for remark in turn.answered)

    @property
    def fruitless(self) -> int:
        """Fixes in a row of which nothing landed."""
        return next((count for count, turn in enumerate(reversed(self.turns)) if turn.commit), len(self.turns))

    def only_critical(self, limits: PullLimits) -> bool:
        return self.number > limits.blocking_only_after

    def at(self, head: str) -> "PullRunState":
        """A new head is looked at with new patience."""
        if head == self.head:
            return replace(self, pending_s=0.0)
        return replace(self, head=head, heads=self.heads + 1, pending_looks=0, pending_s=0.0)

    def waited(self, wait: Wait, seconds: float) -> "PullRunState":
        if wait.why == "error":
            return replace(self, errors=self.errors + 1)
        return replace(self, errors=0, pending_looks=self.pending_looks + 1, pending_s=self.pending_s + seconds)

    def with_turn(self, turn: Turn, spent_usd: float, seconds: float, outcome: Outcome | None) -> "PullRunState":
        return replace(
            self,
            turns=(*self.turns, turn),
            heads=0,
            errors=0,
            worked_s=self.worked_s + seconds,
            spent_usd=max(self.spent_usd, spent_usd),
            rotation=self.rotation.worked(),
            broke=outcome,
        )

    def limited(self, limited: RateLimited, spent_usd: float, seconds: float) -> "PullRunState":
        return replace(
            self,
            rotation=self.rotation.limited(limited),
            spent_usd=max(self.spent_usd, spent_usd),
            worked_s=self.worked_s + seconds,
        )

    def rested(self, agent: str, limited: RateLimited, wait_s: float) -> "PullRunState":
        return replace(self, rotation=self.rotation.rested(agent, limited, wait_s))

    def unread(self, limited: RateLimited) -> "PullRunState":
        """The reviewer's provider said `not now`."""
        return replace(self, readers=self.readers.limited(limited))

    def refused(self, agent: str, refused: Unusable, spent_usd: float) -> "PullRunState":
        return replace(self, rotation=self.rotation.refused(agent, refused), spent_usd=max(self.spent_usd, spent_usd))

    def hindered_once(self) -> "PullRunState":
        return replace(self, hindered=self.hindered + 1)

    def went_on(self, seconds: float = 0.0, spent_usd: float = 0.0) -> "PullRunState":
        return replace(self, hindered=0, worked_s=self.worked_s + seconds, spent_usd=max(self.spent_usd, spent_usd))
