"""Builds turns: the stored form of an iteration that fixed something, tried to, or ended the run."""

from dataclasses import replace

from reknit.core.agents.call import Aborted, Outcome
from reknit.core.fix_pr.checks import ChecksSnapshot, classify_checks, describe_fix, summarize_checks
from reknit.core.fix_pr.convergence import FindingCounts, hash_failures
from reknit.core.fix_pr.decision import list_failures
from reknit.core.fix_pr.push import NotPushed, Pushed
from reknit.core.fix_pr.state import Fix, PullRunState, Turn
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.ending import Ending
from reknit.core.text.format import to_one_line

_ENDED = {"crashed": "crashed", "timeout": "timed out", "idle": "stopped responding", "refused": "refused"}


def build_fix_turn(
    state: PullRunState,
    checks: ChecksSnapshot,
    counts: FindingCounts,
    move: Fix,
    end: Pushed | NotPushed,
    spent_usd: float,
) -> Turn:
    """Return the turn of an iteration that tried a fix. `end`: the result of the push."""
    landed = end if isinstance(end, Pushed) else Pushed("")
    did = describe_fix(move.parts) if landed.commit else _explain_not_landed(end)
    first = sum(finding.source == move.parts[0] for finding in move.findings)  # 0 for tests that cannot run
    return replace(
        _build_turn(state, checks, counts, did, spent_usd),
        commit=landed.commit,
        fixes=(first or 1) if landed.commit else 0,
        feedback=end.feedback if isinstance(end, NotPushed) else "",
        grown_source=landed.grown_source,
        grown_tests=landed.grown_tests,
        answered=landed.answered,
        unproven=end.unproven if isinstance(end, NotPushed) else (),
    )


def build_last_turn(state: PullRunState, checks: ChecksSnapshot, counts: FindingCounts, ending: Ending) -> Turn:
    """Return the turn that ends the run."""
    did = "PR CLEAN" if ending.word == "CLEAN" else ending.word
    return _build_turn(state, checks, counts, did, state.spent_usd)


def explain_refusal(verdict: GateVerdict, outcome: Outcome) -> str:
    """Return why nothing passed the gate: it refused the change, or the agent changed nothing."""
    if any(refusal.rule != "nothing-changed" for refusal in verdict.refusals):
        return "the gate refused it"
    if not isinstance(outcome, Aborted):
        return "the agent changed nothing"
    ended = _ENDED.get(outcome.why, f"ended as {outcome.why}")
    detail = f" ({to_one_line(outcome.detail)[-120:]})" if outcome.detail else ""
    return f"the agent {ended}{detail}"


def _build_turn(state: PullRunState, checks: ChecksSnapshot, counts: FindingCounts, did: str, spent_usd: float) -> Turn:
    review, tests, ci = classify_checks(checks)
    return Turn(
        number=state.number,
        head=checks.head,
        review=review,
        tests=tests,
        ci=ci,
        summaries=summarize_checks(checks),
        did=did,
        signature=hash_failures(list_failures(checks)),
        counts=counts,
        cost_usd=max(0.0, spent_usd - sum(turn.cost_usd for turn in state.turns)),
    )


def _explain_not_landed(end: Pushed | NotPushed) -> str:
    return f"nothing landed: {end.why}" if isinstance(end, NotPushed) else ""
