"""Decides the next step of the repair loop from what was seen so far. No model is involved."""

from dataclasses import dataclass, replace

from reknit.core.agents.call import Aborted, Done, Outcome, Usage
from reknit.core.agents.strategy import Strategy, strategy_of
from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.events import remembered
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import RunProgress
from reknit.core.runs.ending import REMEMBERED, TRIED, Ending, EndingWord
from reknit.core.runs.feedback import feedback
from reknit.core.runs.limits import Limits
from reknit.core.testing.proof import Proof, ProofWord
from reknit.core.text.format import first_few, spent_of


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


@dataclass(frozen=True)
class RepairProgress(RunProgress):
    findings: tuple[Finding, ...]
    head: str
    """The commit the next attempt starts from: base, then each landed fix."""
    attempts: tuple[Attempt, ...] = ()
    unprovable: tuple[str, ...] = ()
    """Tests that were asked for but are flaky: with one of these a run cannot end FIXED."""

    @property
    def fixed_tests(self) -> tuple[str, ...]:
        return tuple(test for attempt in self.attempts for test in attempt.fixed)

    @property
    def left(self) -> tuple[Finding, ...]:
        fixed = self.fixed_tests
        return tuple(finding for finding in self.findings if finding.subject not in fixed)

    def attempts_on(self, finding: Finding) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.finding == finding.id)

    def tries_on(self, finding: Finding, limits: Limits) -> int:
        """How many of the attempts on this finding are used up."""
        tried = self.attempts_on(finding)
        idle = sum(attempt.idle for attempt in tried)
        return len(tried) - min(idle, limits.idles)

    def with_attempt(self, attempt: Attempt, head: str, spent_usd: float) -> "RepairProgress":
        after = self.counted(attempt.seconds, spent_usd)
        return replace(after, head=head, attempts=(*self.attempts, attempt), rotation=self.rotation.worked())


@dataclass(frozen=True)
class Try:
    finding: Finding
    number: int
    strategy: Strategy
    agent: str


@dataclass(frozen=True)
class StopRepair:
    ending: Ending


def begin(baseline: Baseline, base: str, agents: tuple[str, ...]) -> RepairProgress | StopRepair:
    """The state the loop starts with, or the ending if it need not start."""
    if baseline.status == "unseen":
        return StopRepair(Ending("UNVERIFIED", baseline.why))
    if baseline.status == "green":
        others = f"; {len(baseline.red_elsewhere)} other(s), not asked for, are red" if baseline.red_elsewhere else ""
        return StopRepair(Ending("CLEAN", f"no test fails at {base[:7]}: {baseline.passing_count} pass{others}"))
    if baseline.answered_by:
        left = tuple(finding.id for finding in baseline.findings)
        return StopRepair(Ending("DEFERRED", remembered(baseline.answered_by), REMEMBERED, left=left))
    return RepairProgress(AgentRotation(agents), baseline.findings, base, unprovable=baseline.named_flaky)


def decide(progress: RepairProgress, limits: Limits) -> Try | StopRepair:
    """First matching row wins."""
    left = progress.left
    if not left and progress.unprovable:
        return _stop(progress, "PARTIAL", f"flaky, so no fix could be proven: {', '.join(progress.unprovable[:3])}")
    if not left:
        return _stop(progress, "FIXED", "everything asked for is fixed and proven")
    if nobody := progress.rotation.stopped(limits):
        return _stop(progress, nobody.word, nobody.reason, nobody.cause)
    if progress.spent_usd >= limits.budget_usd or _over_budget(progress):
        return _stop(progress, "OVER_BUDGET", _money(progress, limits))
    if progress.worked_s >= limits.timeout_s:
        return _stop(progress, "EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    for finding in left:
        if (tried := progress.tries_on(finding, limits)) < limits.attempts and not _is_unproven(progress, finding):
            return Try(finding, len(progress.attempts) + 1, strategy_of(tried + 1), progress.rotation.next)
    if progress.fixed_tests:
        named = first_few([finding.id for finding in left], 10)
        return _stop(progress, "PARTIAL", f"{len(left)} of {len(progress.findings)} findings remain: {named}")
    if any(_is_unproven(progress, finding) for finding in left):
        return _stop(progress, "UNVERIFIED", "UNPROVEN: the test passes without the fix too")
    if any(_last_proof(progress, finding) == "unseen" for finding in left):
        return _stop(progress, "UNVERIFIED", "the tests gave no result after the last attempt")
    return _stop(progress, "DEFERRED", f"{_tried(progress)} did not repair it", cause=_was_tried(progress))


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
    )


def _stop(progress: RepairProgress, word: EndingWord, reason: str, cause: str = "") -> StopRepair:
    fixed_tests = progress.fixed_tests
    fixed = tuple(finding.id for finding in progress.findings if finding.subject in fixed_tests)
    left = tuple(finding.id for finding in progress.left)
    return StopRepair(Ending(word, reason, cause, fixed, left))


def _money(progress: RepairProgress, limits: Limits) -> str:
    spent, last = f"{spent_of(progress.spent_usd, limits.budget_usd)} spent", _over_budget(progress)
    return f"{spent}; {last.detail}" if last and last.detail else spent


def _over_budget(progress: RepairProgress) -> Aborted | None:
    last = progress.attempts[-1].outcome if progress.attempts else None
    return last if isinstance(last, Aborted) and last.why == "budget" else None


def _is_unproven(progress: RepairProgress, finding: Finding) -> bool:
    return _last_proof(progress, finding) == "unproven"


def _last_proof(progress: RepairProgress, finding: Finding) -> ProofWord | None:
    tried = progress.attempts_on(finding)
    return tried[-1].proof if tried else None


def _was_tried(progress: RepairProgress) -> str:
    """An agent that crashed or timed out gave no answer worth remembering."""
    finished = [isinstance(progress.attempts_on(finding)[-1].outcome, Done) for finding in progress.left]
    return TRIED if all(finished) else ""


def _tried(progress: RepairProgress) -> str:
    words = list(dict.fromkeys(attempt.strategy for attempt in progress.attempts))
    count = len(progress.attempts)
    return f"{count} attempt{'s' if count != 1 else ''} ({', '.join(words)})"
