"""The state of a pull-request run: its turns, the counters of its limits, and its possible moves."""

from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.agents.call import Outcome, RateLimited
from reknit.core.agents.strategy import Strategy
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import CheckState, Part
from reknit.core.fix_pr.convergence import FindingCounts
from reknit.core.forge.values import CiCheck
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import RunProgress
from reknit.core.runs.ending import Ending
from reknit.core.runs.limits import PullLimits


@dataclass(frozen=True)
class RoundMeasurement:
    """The findings of one iteration, and the cost of its checks."""

    counts: FindingCounts
    spent_usd: float
    seconds: float
    """Seconds that the checks took."""


@dataclass(frozen=True)
class Turn:
    """One iteration that reached a decision, as it is shown and stored."""

    number: int
    head: str
    review: CheckState
    tests: CheckState
    ci: CheckState
    summaries: tuple[str, str, str]
    """Review, tests and CI in a few words each, for people."""
    did: str
    """The decision or the action, for people."""
    signature: str
    counts: FindingCounts
    commit: str = ""
    """The commit it pushed; empty if nothing landed."""
    fixes: int = 0
    cost_usd: float = 0.0
    feedback: str = ""
    """Why its fix did not land, for the next attempt."""
    grown_source: int = 0
    """Net lines of source that its commit added."""
    grown_tests: int = 0
    """Net lines of tests that its commit added."""
    answered: tuple[str, ...] = ()
    """Reviews that its commit answers: they stay on the pull request until their author reviews again."""
    unproven: tuple[str, ...] = ()
    """Tests for which no fix could be proven."""


@dataclass(frozen=True)
class Fix:
    """Let an agent fix these findings."""

    number: int
    """Number of the iteration, and of its only attempt."""
    parts: tuple[Part, ...]
    findings: tuple[Finding, ...]
    strategy: Strategy
    agent: str
    feedback: str
    only_critical: bool


def list_target_tests(move: Fix) -> tuple[str, ...]:
    """Return the ids of the tests that the fix must turn green; none if the suite could not run."""
    return tuple(finding.subject for finding in move.findings if finding.rule == "test-failed")


@dataclass(frozen=True)
class Rerun:
    """Run CI checks again that failed on CI infrastructure."""

    checks: tuple[CiCheck, ...]


@dataclass(frozen=True)
class Wait:
    """Wait for CI, or for a check that gave no result."""

    why: Literal["ci", "error"]
    seconds: float
    looks: int
    """Quick polls of CI before everything is checked again; 0: none."""


@dataclass(frozen=True)
class StopPullRun:
    """End the run."""

    ending: Ending
    head: str = ""
    """The commit that the last checks looked at; empty: the run ends without having looked."""

    @property
    def claims_success(self) -> bool:
        """Return True if the run is CLEAN. It checks all once more, because people push and comment meanwhile."""
        return self.ending.word == "CLEAN"


Move = Fix | Rerun | Wait | StopPullRun


@dataclass(frozen=True)
class PullRunState(RunProgress):
    """The course of a run so far, from which the next move is decided."""

    turns: tuple[Turn, ...] = ()
    head: str = ""
    """The commit that the counters below are about."""
    pending_looks: int = 0
    """Number of times in a row that CI was pending on this head."""
    pending_s: float = 0.0
    """Seconds spent waiting for CI since everything was last checked."""
    heads: int = 0
    """Number of heads in a row without a fix by this run."""
    errors: int = 0
    """Number of times in a row that checks gave no result."""
    forge_waits: int = 0
    """Number of waits for the forge in a row."""
    last_outcome: Outcome | None = None
    """Outcome of the last attempt."""
    readers: AgentRotation = AgentRotation(())
    """The agents that review."""

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
    def unproven(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(test for turn in self.turns for test in turn.unproven))

    @property
    def fruitless(self) -> int:
        """Return the number of turns in a row that landed nothing."""
        return next((count for count, turn in enumerate(reversed(self.turns)) if turn.commit), len(self.turns))

    def fixes_only_critical(self, limits: PullLimits) -> bool:
        return self.number > limits.blocking_only_after

    def with_head(self, head: str) -> "PullRunState":
        """Return the state at this head; a new head restarts the patience with CI."""
        if head == self.head:
            return replace(self, pending_s=0.0)
        return replace(self, head=head, heads=self.heads + 1, pending_looks=0, pending_s=0.0)

    def with_pull_wait(self, wait: Wait, seconds: float) -> "PullRunState":
        if wait.why == "error":
            return replace(self, errors=self.errors + 1)
        return replace(self, errors=0, pending_looks=self.pending_looks + 1, pending_s=self.pending_s + seconds)

    def with_turn(self, turn: Turn, spent_usd: float, seconds: float, outcome: Outcome | None) -> "PullRunState":
        after, turns = self.add_work(seconds, spent_usd), (*self.turns, turn)
        return replace(after, turns=turns, heads=0, errors=0, rotation=self.rotation.after_work(), last_outcome=outcome)

    def with_limited_reader(self, limited: RateLimited) -> "PullRunState":
        """Return the state after the reviewer's provider was rate limited."""
        return replace(self, readers=self.readers.after_limit(limited))

    def with_forge_wait(self) -> "PullRunState":
        return replace(self, forge_waits=self.forge_waits + 1)

    def with_progress(self, seconds: float = 0.0, spent_usd: float = 0.0) -> "PullRunState":
        return replace(self.add_work(seconds, spent_usd), forge_waits=0)
