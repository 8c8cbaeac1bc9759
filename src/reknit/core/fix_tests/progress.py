"""The progress of a repair: the attempts so far, and the remaining tests of each finding."""

from dataclasses import dataclass, replace

from reknit.core.agents.call import Aborted, Outcome, Usage
from reknit.core.agents.strategy import Strategy
from reknit.core.causes.cause import LeftOut
from reknit.core.checks.proof import is_by_exit_code
from reknit.core.finding import Finding
from reknit.core.gate.needed_waivers import Needed
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers
from reknit.core.runs.attempt import RunProgress
from reknit.core.runs.feedback import explain_failure
from reknit.core.runs.limits import Limits
from reknit.core.testing.proof import Proof, ProofWord


@dataclass(frozen=True)
class Attempt:
    """One finished attempt, reduced to the facts that decisions need."""

    number: int
    finding: str
    strategy: Strategy
    outcome: Outcome
    proof: ProofWord | None
    fixed: tuple[str, ...]
    """Ids of tests that this attempt is proven to have turned green."""
    usage: Usage
    seconds: float
    feedback: str
    """Text for the next attempt on this finding."""
    idle: bool = False
    """True if the agent went idle and changed nothing; up to `Limits.idles` such attempts do not count."""
    sentence: str = ""
    """Result of its verification, in one sentence."""
    flaky: tuple[str, ...] = ()
    """Tests that its verification showed to be flaky; a later run must not rely on its verdict."""
    waivers: Needed = ()
    """Waivers that would have let its change pass."""
    at_once: bool = False
    """True if a person must grant these waivers before another attempt."""
    by_exit_code: bool = False
    """True if its tests were judged by the exit code of their command alone."""


@dataclass(frozen=True)
class RepairProgress(RunProgress):
    """The state of the repair loop."""

    findings: tuple[Finding, ...]
    head: str
    """The commit from which the next attempt starts: base, or the last landed fix."""
    attempts: tuple[Attempt, ...] = ()
    unprovable: tuple[str, ...] = ()
    """Requested tests that are flaky; a run with one of these cannot end FIXED."""
    doubtful: tuple[str, ...] = ()
    doubts: tuple[LeftOut, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    flaky: tuple[str, ...] = ()
    """Tests that were red, then passed without a change that could explain it; no agent can repair them."""
    has_requested_tests: bool = False
    """True if the user named the tests."""
    waivers: Waivers = Waivers()

    @property
    def fixed_tests(self) -> tuple[str, ...]:
        return tuple(test for attempt in self.attempts for test in attempt.fixed)

    @property
    def remaining(self) -> tuple[Finding, ...]:
        """Return the findings with only their red tests, because a fix may turn green only some of them."""
        finished_tests = {*self.fixed_tests, *self.flaky}
        open_tests = (
            (finding, [test for test in finding.tests if test not in finished_tests]) for finding in self.findings
        )
        return tuple(replace(finding, subject=tests[0], also=(*tests[1:],)) for finding, tests in open_tests if tests)

    def list_attempts(self, finding: Finding) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.finding == finding.id)

    def count_tries(self, finding: Finding, limits: Limits) -> int:
        """Return how many of the attempts on this finding are used up."""
        attempts = self.list_attempts(finding)
        landed = max((place for place, attempt in enumerate(attempts, 1) if attempt.fixed), default=0)
        attempts = attempts[landed:]
        idle = sum(attempt.idle for attempt in attempts)
        return len(attempts) - min(idle, limits.idles)

    def limit_tries(self, finding: Finding, limits: Limits) -> int:
        return 1 if finding.id in self.doubtful else limits.attempts

    @property
    def landed(self) -> int:
        return sum(bool(attempt.fixed) for attempt in self.attempts)

    @property
    def fruitless(self) -> int:
        """Return the number of attempts in a row that landed nothing."""
        landed = max((place for place, attempt in enumerate(self.attempts, 1) if attempt.fixed), default=0)
        return sum(not attempt.idle for attempt in self.attempts[landed:])

    def leave_out_flaky(self, tests: tuple[str, ...]) -> "RepairProgress":
        unprovable = (*self.unprovable, *tests) if self.has_requested_tests else self.unprovable
        return replace(self, flaky=(*self.flaky, *tests), unprovable=unprovable)

    def add_attempt(self, attempt: Attempt, head: str, spent_usd: float) -> "RepairProgress":
        progress = self.add_work(attempt.seconds, spent_usd)
        if attempt.proof == "unproven":
            progress = progress.leave_out_flaky(attempt.flaky)
        return replace(progress, head=head, attempts=(*self.attempts, attempt), rotation=self.rotation.after_work())


@dataclass(frozen=True)
class Try:
    """The next attempt."""

    finding: Finding
    number: int
    strategy: Strategy
    agent: str


def build_attempt(
    attempt_plan: Try, outcome: Outcome, usage: Usage, seconds: float, gate: GateVerdict, proof: Proof | None
) -> Attempt:
    """Return the finished attempt for the decision."""
    return Attempt(
        number=attempt_plan.number,
        finding=attempt_plan.finding.id,
        strategy=attempt_plan.strategy,
        outcome=outcome,
        proof=proof.word if proof else None,
        fixed=proof.fixed if proof and proof.word == "proven" else (),
        usage=usage,
        seconds=seconds + (proof.seconds if proof else 0.0),
        feedback=explain_failure(gate, proof, outcome),
        idle=isinstance(outcome, Aborted) and outcome.why == "idle" and not gate.files,
        sentence=proof.sentence if proof else "",
        flaky=proof.flaky if proof else (),
        by_exit_code=bool(proof and is_by_exit_code(proof.fixed)),
    )
