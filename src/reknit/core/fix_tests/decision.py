"""Decides the next step of the repair loop from what was seen so far. No model is involved."""

from dataclasses import dataclass, replace

from reknit.core.agents.call import Aborted, Done, Outcome, Usage
from reknit.core.agents.strategy import Strategy, strategy_of
from reknit.core.causes.left_out import LeftOut, left_out_text
from reknit.core.causes.stale_lock import RULE, lock_to_allow
from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import RULES, Baseline
from reknit.core.fix_tests.events import remembered
from reknit.core.gate.needed_waivers import Needed, blocked_text, needs_a_person
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers, typed_options
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import RunProgress
from reknit.core.runs.ending import ENVIRONMENT, REMEMBERED, TRIED, WAIVER, Ending, EndingWord
from reknit.core.runs.feedback import feedback
from reknit.core.runs.limits import Limits
from reknit.core.testing.proof import Proof, ProofWord
from reknit.core.testing.report import WHOLE_SUITE
from reknit.core.text.format import counted, first_few, one_line, spent_of

_SINCE_RECHECK = 3
"""Runs that began under older rules have no such step."""
_UNPROVEN = "UNPROVEN: the test passes without the fix too"


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


@dataclass(frozen=True)
class RepairProgress(RunProgress):
    findings: tuple[Finding, ...]
    head: str
    """The commit the next attempt starts from: base, then each landed fix."""
    attempts: tuple[Attempt, ...] = ()
    unprovable: tuple[str, ...] = ()
    """Tests that were asked for but are flaky: with one of these a run cannot end FIXED."""
    doubtful: tuple[str, ...] = ()
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
        if attempt.proof == "unproven" and self.rules >= _SINCE_RECHECK:
            after = after.without_flaky(attempt.flaky)
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
    if baseline.status == "blocked":
        return StopRepair(Ending("BLOCKED", left_out_text(baseline.left_out), ENVIRONMENT))
    if baseline.status == "unseen":
        return StopRepair(Ending("UNVERIFIED", baseline.why))
    if baseline.status == "green":
        return StopRepair(Ending("CLEAN", _clean(baseline, base)))
    if baseline.answered_by:
        left = tuple(finding.id for finding in baseline.findings)
        return StopRepair(Ending("DEFERRED", remembered(baseline.answered_by), REMEMBERED, left=left))
    return RepairProgress(
        AgentRotation(agents),
        baseline.findings,
        base,
        unprovable=baseline.named_flaky,
        doubtful=baseline.doubtful,
        left_out=baseline.left_out,
        rules=baseline.rules,
        flaky=() if baseline.named else baseline.flaky,
        named=baseline.named,
    )


def _clean(baseline: Baseline, base: str) -> str:
    if not baseline.named:
        return f"no test fails at {base[:7]}: {baseline.passing_count} pass"
    others = f"; red, but not asked for: {first_few(baseline.red_elsewhere)}" if baseline.red_elsewhere else ""
    return f"no test that you named fails at {base[:7]}{others}"


def decide(progress: RepairProgress, limits: Limits) -> Try | StopRepair:
    """First matching row wins."""
    left = progress.left
    if not left and progress.flaky and not progress.fixed_tests:
        unproven = any(attempt.proof == "unproven" for attempt in progress.attempts)
        why = _UNPROVEN if unproven else f"flaky, so no fix could be proven: {first_few(progress.flaky)}"
        return _stop(progress, "UNVERIFIED", why)
    if not left and progress.unprovable:
        return _stop(progress, "PARTIAL", f"flaky, so no fix could be proven: {', '.join(progress.unprovable[:3])}")
    if not left and progress.named and progress.left_out:
        return _stop(progress, "PARTIAL", "not every test that you named could be repaired")
    if not left:
        return _stop(progress, "FIXED", "everything asked for is fixed and proven")
    if nobody := progress.rotation.stopped(limits):
        return _stop(progress, nobody.word, nobody.reason, nobody.cause)
    if progress.spent_usd >= limits.budget_usd or _over_budget(progress):
        return _stop(progress, "OVER_BUDGET", _money(progress, limits))
    if progress.worked_s >= limits.timeout_s:
        return _stop(progress, "EXHAUSTED", f"{progress.worked_s:.0f} s of {limits.timeout_s:.0f} s worked")
    if progress.rules and (unseen := _unseen(progress)):
        word: EndingWord = "PARTIAL" if progress.fixed_tests else "UNVERIFIED"
        return _stop(progress, word, f"no further attempt was made: {unseen}")
    for finding in left:
        tried = progress.tries_on(finding, limits)
        is_hopeless = _is_unproven(progress, finding) or _needs_a_person(progress, finding)
        if tried < progress.most_tries_on(finding, limits) and not is_hopeless:
            if progress.rules and progress.fruitless >= limits.fruitless:
                word = "PARTIAL" if progress.fixed_tests else "DEFERRED"
                return _stop(progress, word, f"{progress.fruitless} attempts in a row did not land (loop.fruitless)")
            return Try(finding, len(progress.attempts) + 1, strategy_of(tried + 1), progress.rotation.next)
    if progress.fixed_tests:
        named = first_few([f"{finding.id} {one_line(finding.subject)}" for finding in left], 5)
        asked = f"; {_for_a_person(progress)}" if _for_a_person(progress) else ""
        return _stop(progress, "PARTIAL", f"{len(left)} of {len(progress.findings)} findings remain: {named}{asked}")
    if person := _for_a_person(progress):
        return _stop(progress, "BLOCKED", person, WAIVER)
    if any(_is_unproven(progress, finding) for finding in left):
        return _stop(progress, "UNVERIFIED", _UNPROVEN)
    if any(_last_proof(progress, finding) == "unseen" for finding in left):
        return _stop(progress, "UNVERIFIED", "the tests gave no result after the last attempt")
    needed = tuple(dict.fromkeys(pair for finding in left for pair in progress.attempts_on(finding)[-1].needed))
    asked = f"; the last change would need `{typed_options(needed)}`" if needed else ""
    return _stop(progress, "DEFERRED", f"{_tried(progress)} did not repair it{asked}", cause=_was_tried(progress))


def is_to_recheck(progress: RepairProgress) -> bool:
    """Whether to look at the finding once more before the next attempt: the first follows the baseline directly."""
    return progress.rules >= _SINCE_RECHECK and bool(progress.attempts)


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
    )


def _stop(progress: RepairProgress, word: EndingWord, reason: str, cause: str = "") -> StopRepair:
    left = tuple(finding.id for finding in progress.left)
    proven = frozenset(progress.fixed_tests)
    fixed = tuple(each.id for each in progress.findings if each.id not in left and proven.intersection(each.tests))
    flaky = dict.fromkeys([*progress.flaky, *(test for attempt in progress.attempts for test in attempt.flaky)])
    beside = f"; flaky, left out: {first_few([*flaky])}" if flaky and proven else ""
    beside += f"; left out: {left_out_text(progress.left_out)}" if progress.left_out else ""
    return StopRepair(Ending(word, f"{reason}{beside}", cause, fixed, left))


def _money(progress: RepairProgress, limits: Limits) -> str:
    spent, last = f"{spent_of(progress.spent_usd, limits.budget_usd)} spent", _over_budget(progress)
    return f"{spent}; {last.detail}" if last and last.detail else spent


def _over_budget(progress: RepairProgress) -> Aborted | None:
    last = progress.attempts[-1].outcome if progress.attempts else None
    return last if isinstance(last, Aborted) and last.why == "budget" else None


def _unseen(progress: RepairProgress) -> str:
    """Why the last verification gave no result; the next would cost the same and show as little."""
    last = progress.attempts[-1] if progress.attempts else None
    return (last.said or "the tests gave no result") if last and last.proof == "unseen" else ""


def _is_unproven(progress: RepairProgress, finding: Finding) -> bool:
    return _last_proof(progress, finding) == "unproven"


def _needs_a_person(progress: RepairProgress, finding: Finding) -> bool:
    """No further attempt is paid for: only a waiver would let a fix pass."""
    tried = progress.attempts_on(finding)
    if not tried:
        return bool(_stale_lock(progress, finding))
    return needs_a_person(tried[-1].needed, tried[-2].needed if len(tried) > 1 else (), at_once=tried[-1].at_once)


def _stale_lock(progress: RepairProgress, finding: Finding) -> str:
    """The lockfile that the suite calls stale, if the agent may not change it."""
    return lock_to_allow(finding, progress.waivers) if finding.subject.endswith(WHOLE_SUITE) else ""


def _for_a_person(progress: RepairProgress) -> str:
    """What to type; empty if no waiver would help."""
    waiting = [finding for finding in progress.left if _needs_a_person(progress, finding)]
    needed = [pair for finding in waiting for tried in progress.attempts_on(finding)[-1:] for pair in tried.needed]
    needed += [(RULE, path) for finding in waiting if (path := _stale_lock(progress, finding))]
    return blocked_text(tuple(dict.fromkeys(needed)), progress.waivers) if needed else ""


def _last_proof(progress: RepairProgress, finding: Finding) -> ProofWord | None:
    tried = progress.attempts_on(finding)
    return tried[-1].proof if tried else None


def _was_tried(progress: RepairProgress) -> str:
    """An agent that crashed, or a suite that is flaky, gave no answer worth remembering."""
    last = [progress.attempts_on(finding)[-1] for finding in progress.left]
    return TRIED if all(isinstance(attempt.outcome, Done) and not attempt.flaky for attempt in last) else ""


def _tried(progress: RepairProgress) -> str:
    words = list(dict.fromkeys(attempt.strategy for attempt in progress.attempts))
    count = len(progress.attempts)
    return f"{counted(count, 'attempt')} ({', '.join(words)})"
