"""The decision of the repair loop: what to do next, from what was seen so far. No model has a say in it."""

from dataclasses import dataclass, replace

from reknit.core.agent_call import Broke, Limited, Outcome, Refused, Usage
from reknit.core.baseline import Baseline
from reknit.core.endings import LOGIN, Ending, EndingWord
from reknit.core.findings import Finding
from reknit.core.limits import Limits
from reknit.core.strategy import Strategy, strategy_of
from reknit.core.verdict import GateVerdict, Proof, ProofWord
from reknit.core.wording import feedback

LONGEST_WAIT_S = 24 * 3600.0
"""A provider may name any time; after a day it is asked again, and the number of waits is bounded."""


@dataclass(frozen=True)
class Attempt:
    """One finished attempt, as the decision needs it."""

    number: int
    finding: str
    strategy: Strategy
    outcome: Outcome
    refused_by: tuple[str, ...]
    """Ids of the gate rules that refused it."""
    proof: ProofWord | None
    fixed: tuple[str, ...]
    """Test ids this attempt turned green, proven."""
    usage: Usage
    seconds: float
    feedback: str
    """What the next attempt on this finding is told."""


@dataclass(frozen=True)
class Progress:
    findings: tuple[Finding, ...]
    head: str
    """The commit the next attempt starts from: base, then each landed fix."""
    attempts: tuple[Attempt, ...] = ()
    waits: int = 0
    blocked: Outcome | None = None
    """An agent's last word when no attempt could be made."""
    worked_s: float = 0.0
    spent_usd: float = 0.0
    unprovable: tuple[str, ...] = ()
    """Tests that were asked for and are flaky: with one of these a run cannot end FIXED."""

    @property
    def fixed_tests(self) -> tuple[str, ...]:
        return tuple(test for attempt in self.attempts for test in attempt.fixed)

    @property
    def left(self) -> tuple[Finding, ...]:
        fixed = self.fixed_tests
        return tuple(finding for finding in self.findings if finding.subject not in fixed)

    def attempts_on(self, finding: Finding) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.finding == finding.id)

    def with_attempt(self, attempt: Attempt, head: str) -> "Progress":
        return replace(
            self,
            head=head,
            attempts=(*self.attempts, attempt),
            worked_s=self.worked_s + attempt.seconds,
            spent_usd=self.spent_usd + attempt.usage.cost_usd,
        )

    def with_wait(self, limited: Limited, usage: Usage, seconds: float) -> "Progress":
        spent_usd, worked_s = self.spent_usd + usage.cost_usd, self.worked_s + seconds
        return replace(self, waits=self.waits + 1, blocked=limited, spent_usd=spent_usd, worked_s=worked_s)

    def with_block(self, outcome: Outcome, usage: Usage) -> "Progress":
        return replace(self, blocked=outcome, spent_usd=self.spent_usd + usage.cost_usd)


@dataclass(frozen=True)
class Try:
    finding: Finding
    number: int
    strategy: Strategy


@dataclass(frozen=True)
class Stop:
    ending: Ending


def begin(baseline: Baseline, base: str) -> Progress | Stop:
    """Where the loop starts, or why it need not."""
    if baseline.status == "unseen":
        return Stop(Ending("UNVERIFIED", baseline.why))
    if baseline.status == "green":
        others = f"; {len(baseline.red_elsewhere)} other(s), not asked for, are red" if baseline.red_elsewhere else ""
        return Stop(Ending("CLEAN", f"nothing to repair: {baseline.passing_count} tests pass{others}"))
    return Progress(baseline.findings, base, unprovable=baseline.named_flaky)


def decide(progress: Progress, limits: Limits) -> Try | Stop:
    """First matching row wins."""
    left = progress.left
    if not left and progress.unprovable:
        return _stop(progress, "PARTIAL", f"flaky, so no fix could be proven: {', '.join(progress.unprovable[:3])}")
    if not left:
        return _stop(progress, "FIXED", "all that was asked, proven")
    if isinstance(progress.blocked, Refused):
        return _refused(progress, progress.blocked)
    if progress.waits > limits.waits:
        return _stop(progress, "BLOCKED", f"the provider said `not now` {progress.waits} times", cause="provider")
    if progress.spent_usd >= limits.budget_usd or _ended_over_budget(progress):
        return _stop(progress, "OVER_BUDGET", f"${progress.spent_usd:.2f} of ${limits.budget_usd:.2f} spent")
    if progress.worked_s >= limits.timeout_s:
        return _stop(progress, "EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    for finding in left:
        if (tried := len(progress.attempts_on(finding))) < limits.attempts and not _is_unproven(progress, finding):
            return Try(finding, len(progress.attempts) + 1, strategy_of(tried + 1))
    if progress.fixed_tests:
        return _stop(progress, "PARTIAL", f"{len(left)} of {len(progress.findings)} findings remain")
    if any(_is_unproven(progress, finding) for finding in left):
        return _stop(progress, "UNVERIFIED", "UNPROVEN: the test passes without the fix too")
    if any(_last_proof(progress, finding) == "unseen" for finding in left):
        return _stop(progress, "UNVERIFIED", "the tests could not be seen after the last attempt")
    return _stop(progress, "DEFERRED", f"{_tried(progress)} did not repair it")


def wait_seconds(limited: Limited, waits: int, limits: Limits, now: float) -> float:
    """Until the provider's own time where it named one, else doubling from the first wait up to an hour."""
    if limited.until is not None:
        return min(max(limited.until - now, 1.0), LONGEST_WAIT_S)
    return float(min(limits.wait_s * 2 ** min(waits, 20), 3600.0))


def finished_attempt(
    order: Try, outcome: Outcome, usage: Usage, seconds: float, gate: GateVerdict, proof: Proof | None
) -> Attempt:
    return Attempt(
        number=order.number,
        finding=order.finding.id,
        strategy=order.strategy,
        outcome=outcome,
        refused_by=tuple(dict.fromkeys(refusal.rule for refusal in gate.refusals)),
        proof=proof.word if proof else None,
        fixed=proof.fixed if proof and proof.word == "proven" else (),
        usage=usage,
        seconds=seconds + (proof.seconds if proof else 0.0),
        feedback=feedback(gate, proof, outcome),
    )


def _stop(progress: Progress, word: EndingWord, reason: str, cause: str = "") -> Stop:
    fixed_tests = progress.fixed_tests
    fixed = tuple(finding.id for finding in progress.findings if finding.subject in fixed_tests)
    left = tuple(finding.id for finding in progress.left)
    return Stop(Ending(word, reason, cause, fixed, left))


def _refused(progress: Progress, refused: Refused) -> Stop:
    if refused.why == "auth":
        return _stop(progress, "BLOCKED", f"the agent was refused by its model: {refused.detail}", cause=LOGIN)
    return _stop(progress, "BLOCKED", f"the agent could not start ({refused.why}): {refused.detail}", cause="agent")


def _ended_over_budget(progress: Progress) -> bool:
    last = progress.attempts[-1].outcome if progress.attempts else None
    return isinstance(last, Broke) and last.why == "budget"


def _is_unproven(progress: Progress, finding: Finding) -> bool:
    return _last_proof(progress, finding) == "unproven"


def _last_proof(progress: Progress, finding: Finding) -> ProofWord | None:
    tried = progress.attempts_on(finding)
    return tried[-1].proof if tried else None


def _tried(progress: Progress) -> str:
    words = list(dict.fromkeys(attempt.strategy for attempt in progress.attempts))
    return f"{len(progress.attempts)} attempts ({', '.join(words)})"
