"""The decision of the repair loop: what to do next, from what was seen so far. No model has a say in it."""

from dataclasses import dataclass, replace

from reknit.core.agent_call import Broke, Done, Limited, Outcome, Refused, Usage
from reknit.core.baseline import Baseline
from reknit.core.endings import LOGIN, REMEMBERED, TRIED, Ending, EndingWord
from reknit.core.findings import Finding
from reknit.core.limits import Limits
from reknit.core.strategy import Strategy, strategy_of
from reknit.core.verdict import GateVerdict, Proof, ProofWord
from reknit.core.wording import feedback, remembered

AUTH_TRIES = 3
"""A provider that does not take the key is asked so often in a row; after that a person must act."""


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
    idle: bool = False
    """It fell silent and left nothing: counted apart from attempts, up to a limit of its own."""


@dataclass(frozen=True)
class Progress:
    findings: tuple[Finding, ...]
    head: str
    """The commit the next attempt starts from: base, then each landed fix."""
    agents: tuple[str, ...]
    """The fixer, then those it may fall over to."""
    attempts: tuple[Attempt, ...] = ()
    waits: int = 0
    blocked: Outcome | None = None
    """An agent's last word when no attempt could be made."""
    worked_s: float = 0.0
    spent_usd: float = 0.0
    unprovable: tuple[str, ...] = ()
    """Tests that were asked for and are flaky: with one of these a run cannot end FIXED."""
    tired: tuple[tuple[str, float | None], ...] = ()
    """Agents whose provider said `not now` since the last attempt or wait, and until when if it named a time."""
    unnamed_waits: int = 0
    """In a row: waits for which the provider named no time."""
    out: tuple[str, ...] = ()
    """Agents a person must act for."""
    auth_errors: int = 0
    """In a row."""

    @property
    def fixed_tests(self) -> tuple[str, ...]:
        return tuple(test for attempt in self.attempts for test in attempt.fixed)

    @property
    def left(self) -> tuple[Finding, ...]:
        fixed = self.fixed_tests
        return tuple(finding for finding in self.findings if finding.subject not in fixed)

    @property
    def ready(self) -> tuple[str, ...]:
        """Agents that could work now; the first one does."""
        resting = {name for name, _ in self.tired} | set(self.out)
        return tuple(name for name in self.agents if name not in resting)

    def attempts_on(self, finding: Finding) -> tuple[Attempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.finding == finding.id)

    def tries_on(self, finding: Finding, limits: Limits) -> int:
        """How much of the attempts on this finding is used up."""
        tried = self.attempts_on(finding)
        idle = sum(attempt.idle for attempt in tried)
        return len(tried) - min(idle, limits.idles)

    def with_attempt(self, attempt: Attempt, head: str, spent_usd: float) -> "Progress":
        return replace(
            self,
            head=head,
            attempts=(*self.attempts, attempt),
            worked_s=self.worked_s + attempt.seconds,
            spent_usd=max(self.spent_usd, spent_usd),
            tired=(),
            auth_errors=0,
            unnamed_waits=0,
        )

    def with_wait(self, limited: Limited, seconds: float, spent_usd: float) -> "Progress":
        return replace(
            self,
            waits=self.waits + 1,
            unnamed_waits=self.unnamed_waits + (limited.until is None),
            blocked=limited,
            spent_usd=max(self.spent_usd, spent_usd),
            worked_s=self.worked_s + seconds,
            auth_errors=0,
        )

    def rested(self, agent: str, limited: Limited, wait_s: float) -> "Progress":
        """After a wait everybody may be asked again; without one, the next agent takes over."""
        return replace(self, tired=() if wait_s else (*self.tired, (agent, limited.until)))

    def with_block(self, agent: str, refused: Refused, spent_usd: float) -> "Progress":
        errors = self.auth_errors + 1 if refused.why == "auth" else AUTH_TRIES
        spent_usd = max(self.spent_usd, spent_usd)
        if errors < AUTH_TRIES:
            return replace(self, blocked=refused, spent_usd=spent_usd, auth_errors=errors)
        return replace(self, blocked=refused, spent_usd=spent_usd, auth_errors=0, out=(*self.out, agent))


@dataclass(frozen=True)
class Try:
    finding: Finding
    number: int
    strategy: Strategy
    agent: str


@dataclass(frozen=True)
class Stop:
    ending: Ending


def begin(baseline: Baseline, base: str, agents: tuple[str, ...]) -> Progress | Stop:
    """Where the loop starts, or why it need not."""
    if baseline.status == "unseen":
        return Stop(Ending("UNVERIFIED", baseline.why))
    if baseline.status == "green":
        others = f"; {len(baseline.red_elsewhere)} other(s), not asked for, are red" if baseline.red_elsewhere else ""
        return Stop(Ending("CLEAN", f"nothing to repair: {baseline.passing_count} tests pass{others}"))
    if baseline.answered_by:
        left = tuple(finding.id for finding in baseline.findings)
        return Stop(Ending("DEFERRED", remembered(baseline.answered_by), REMEMBERED, left=left))
    return Progress(baseline.findings, base, agents, unprovable=baseline.named_flaky)


def decide(progress: Progress, limits: Limits) -> Try | Stop:
    """First matching row wins."""
    left = progress.left
    if not left and progress.unprovable:
        return _stop(progress, "PARTIAL", f"flaky, so no fix could be proven: {', '.join(progress.unprovable[:3])}")
    if not left:
        return _stop(progress, "FIXED", "all that was asked, proven")
    if isinstance(progress.blocked, Refused) and set(progress.agents) <= set(progress.out):
        return _refused(progress, progress.blocked)
    if progress.waits > limits.waits:
        return _stop(progress, "BLOCKED", f"the provider said `not now` {progress.waits} times", cause="provider")
    if progress.spent_usd >= limits.budget_usd or _over_budget(progress):
        return _stop(progress, "OVER_BUDGET", _money(progress, limits))
    if progress.worked_s >= limits.timeout_s:
        return _stop(progress, "EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    for finding in left:
        if (tried := progress.tries_on(finding, limits)) < limits.attempts and not _is_unproven(progress, finding):
            return Try(finding, len(progress.attempts) + 1, strategy_of(tried + 1), _next_agent(progress))
    if progress.fixed_tests:
        named = ", ".join(finding.id for finding in left[:10]) + (" …" if len(left) > 10 else "")
        return _stop(progress, "PARTIAL", f"{len(left)} of {len(progress.findings)} findings remain: {named}")
    if any(_is_unproven(progress, finding) for finding in left):
        return _stop(progress, "UNVERIFIED", "UNPROVEN: the test passes without the fix too")
    if any(_last_proof(progress, finding) == "unseen" for finding in left):
        return _stop(progress, "UNVERIFIED", "the tests could not be seen after the last attempt")
    return _stop(progress, "DEFERRED", f"{_tried(progress)} did not repair it", cause=_was_tried(progress))


def falls_over(progress: Progress, agent: str, wait_s: float, limits: Limits) -> bool:
    """Another agent takes over when the wait is longer than people like to wait and one is there."""
    return wait_s > limits.patience_s and any(name != agent for name in progress.ready)


def _next_agent(progress: Progress) -> str:
    """When all are tired a wait is over, or was refused: the first that may work is asked again."""
    return (*progress.ready, *(name for name in progress.agents if name not in progress.out))[0]


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
        idle=isinstance(outcome, Broke) and outcome.why == "idle" and not gate.files,
    )


def _stop(progress: Progress, word: EndingWord, reason: str, cause: str = "") -> Stop:
    fixed_tests = progress.fixed_tests
    fixed = tuple(finding.id for finding in progress.findings if finding.subject in fixed_tests)
    left = tuple(finding.id for finding in progress.left)
    return Stop(Ending(word, reason, cause, fixed, left))


def _refused(progress: Progress, refused: Refused) -> Stop:
    if refused.why in ("auth", "login"):
        return _stop(progress, "BLOCKED", f"the agent has no usable key: {refused.detail}", cause=LOGIN)
    return _stop(progress, "BLOCKED", f"the agent could not work ({refused.why}): {refused.detail}", cause="agent")


def _money(progress: Progress, limits: Limits) -> str:
    spent, last = f"${progress.spent_usd:.2f} of ${limits.budget_usd:.2f} spent", _over_budget(progress)
    return f"{spent}; {last.detail}" if last and last.detail else spent


def _over_budget(progress: Progress) -> Broke | None:
    last = progress.attempts[-1].outcome if progress.attempts else None
    return last if isinstance(last, Broke) and last.why == "budget" else None


def _is_unproven(progress: Progress, finding: Finding) -> bool:
    return _last_proof(progress, finding) == "unproven"


def _last_proof(progress: Progress, finding: Finding) -> ProofWord | None:
    tried = progress.attempts_on(finding)
    return tried[-1].proof if tried else None


def _was_tried(progress: Progress) -> str:
    """An agent that crashed or ran out of time gave no answer that is worth remembering."""
    finished = [isinstance(progress.attempts_on(finding)[-1].outcome, Done) for finding in progress.left]
    return TRIED if all(finished) else ""


def _tried(progress: Progress) -> str:
    words = list(dict.fromkeys(attempt.strategy for attempt in progress.attempts))
    return f"{len(progress.attempts)} attempts ({', '.join(words)})"
