"""How far a repair got: its attempts so far, and what is left of each finding."""

from dataclasses import dataclass, replace

from reknit.core.agents.call import Aborted, Outcome, Usage
from reknit.core.agents.strategy import Strategy
from reknit.core.causes.left_out import LeftOut
from reknit.core.checks.honesty import is_by_exit_code
from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import RULES
from reknit.core.gate.needed_waivers import Needed
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers
from reknit.core.runs.attempt import RunProgress
from reknit.core.runs.feedback import feedback
from reknit.core.runs.limits import Limits
from reknit.core.testing.proof import Proof, ProofWord

SINCE_RECHECK = 3
"""Runs that began under older rules have no such step."""


@dataclass(frozen=True)
class Attempt:
    """One finished attempt, as the decision needs it."""

    number: int
    finding: str
    strategy: Strategy
    outcome: Outcome
    proof: ProofWord | None
    fixed: tuple[str, ...]
    """Test ids this attempt turned green, proven."""
    usage: Usage
    seconds: float
    feedback: str
    """Passed to the next attempt on this finding."""
    idle: bool = False
    """The agent went idle and changed nothing: counted separately from attempts, up to `Limits.idles`."""
    said: str = ""
    """What its verification said."""
    flaky: tuple[str, ...] = ()
    """Tests that its verification showed to be flaky: its verdict is not worth remembering."""
    needed: Needed = ()
    """Waivers that would have let its change pass."""
    at_once: bool = False
    """A person is asked for them before another attempt is made."""
    by_exit_code: bool = False
    """Its tests were judged by the exit code of their command alone."""


@dataclass(frozen=True)
class RepairProgress(RunProgress):
    findings: tuple[Finding, ...]
    head: str
    """The commit the next attempt starts from: base, then each landed fix."""
    attempts: tuple[Attempt, ...] = ()
    unprovable: tuple[str, ...] = ()
    """Tests that were asked for but are flaky: with one of these a run cannot end FIXED."""
    doubtful: tuple[str, ...] = ()
    doubts: tuple[LeftOut, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    rules: int = RULES
    flaky: tuple[str, ...] = ()
    """Tests that passed later without a change that could explain it: no agent can repair them."""
    named: bool = False
    """The user named the tests."""
    waivers: Waivers = Waivers()

    @property
    def fixed_tests(self) -> tuple[str, ...]:
        return tuple(test for attempt in self.attempts for test in attempt.fixed)

    @property
    def left(self) -> tuple[Finding, ...]:
        """What remains of each finding: a fix may turn only some of its tests green."""
        done = {*self.fixed_tests, *self.flaky}
        open_tests = ((finding, [test for test in finding.tests if test not in done]) for finding in self.findings)
        return tuple(replace(finding, subject=tests[0], also=(*tests[1:],)) for finding, tests in open_tests if tests)

    def attempts_on(self, finding: Finding) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.finding == finding.id)

    def tries_on(self, finding: Finding, limits: Limits) -> int:
        """How many of the attempts on this finding are used up."""
        tried = self.attempts_on(finding)
        landed = max((place for place, attempt in enumerate(tried, 1) if attempt.fixed), default=0)
        tried = tried[landed:]
        idle = sum(attempt.idle for attempt in tried)
        return len(tried) - min(idle, limits.idles)

    def most_tries_on(self, finding: Finding, limits: Limits) -> int:
        return 1 if finding.id in self.doubtful else limits.attempts

    @property
    def landed(self) -> int:
        return sum(bool(attempt.fixed) for attempt in self.attempts)

    @property
    def fruitless(self) -> int:
        """Attempts in a row that landed nothing."""
        landed = max((place for place, attempt in enumerate(self.attempts, 1) if attempt.fixed), default=0)
        return sum(not attempt.idle for attempt in self.attempts[landed:])

    def without_flaky(self, tests: tuple[str, ...]) -> "RepairProgress":
        unprovable = (*self.unprovable, *tests) if self.named else self.unprovable
        return replace(self, flaky=(*self.flaky, *tests), unprovable=unprovable)

    def with_attempt(self, attempt: Attempt, head: str, spent_usd: float) -> "RepairProgress":
        after = self.counted(attempt.seconds, spent_usd)
        if attempt.proof == "unproven" and self.rules >= SINCE_RECHECK:
            after = after.without_flaky(attempt.flaky)
        return replace(after, head=head, attempts=(*self.attempts, attempt), rotation=self.rotation.worked())


@dataclass(frozen=True)
class Try:
    finding: Finding
    number: int
    strategy: Strategy
    agent: str


def finished_attempt(
    order: Try, outcome: Outcome, usage: Usage, seconds: float, gate: GateVerdict, proof: Proof | None
) -> Attempt:
    return Attempt(
        number=order.number,
        finding=order.finding.id,
        strategy=order.strategy,
        outcome=outcome,
        proof=proof.word if proof else None,
        fixed=proof.fixed if proof and proof.word == "proven" else (),
        usage=usage,
        seconds=seconds + (proof.seconds if proof else 0.0),
        feedback=feedback(gate, proof, outcome),
        idle=isinstance(outcome, Aborted) and outcome.why == "idle" and not gate.files,
        said=proof.sentence if proof else "",
        flaky=proof.flaky if proof else (),
        by_exit_code=bool(proof and is_by_exit_code(proof.fixed)),
    )
