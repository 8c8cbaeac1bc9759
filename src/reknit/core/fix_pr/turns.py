"""Turns: how an iteration is stored and shown, whether it fixed something, tried to, or ended the run."""

from dataclasses import replace

from reknit.core.agents.call import Aborted, Outcome
from reknit.core.fix_pr.check_summary import fix_for, shown, states
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot
from reknit.core.fix_pr.convergence import FindingCounts
from reknit.core.fix_pr.decision import failing
from reknit.core.fix_pr.push import NotPushed, Pushed
from reknit.core.fix_pr.stall import signature
from reknit.core.fix_pr.state import Fix, PullRunState, Turn
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.ending import Ending
from reknit.core.text.format import one_line

_ENDED = {"crashed": "crashed", "timeout": "timed out", "idle": "stopped responding", "refused": "refused"}


def fix_turn(
    state: PullRunState,
    checks: ChecksSnapshot,
    seen: FindingCounts,
    move: Fix,
    end: Pushed | NotPushed,
    spent_usd: float,
) -> Turn:
    landed = end if isinstance(end, Pushed) else Pushed("")
    did = fix_for(move.parts) if landed.commit else _not_landed(end)
    first = sum(finding.source == move.parts[0] for finding in move.findings)  # tests that cannot run have no names
    return replace(
        _turn(state, checks, seen, did, spent_usd),
        commit=landed.commit,
        fixes=(first or 1) if landed.commit else 0,
        feedback=end.feedback if isinstance(end, NotPushed) else "",
        grown_source=landed.grown_source,
        grown_tests=landed.grown_tests,
        answered=landed.answered,
        unproven=end.unproven if isinstance(end, NotPushed) else (),
    )


def last_turn(state: PullRunState, checks: ChecksSnapshot, seen: FindingCounts, ending: Ending) -> Turn:
    did = "PR CLEAN" if ending.word == "CLEAN" else ending.word
    return _turn(state, checks, seen, did, state.spent_usd)


def why_refused(verdict: GateVerdict, outcome: Outcome) -> str:
    """Why the gate did not accept a change; an agent that changed nothing did not cheat."""
    if any(refusal.rule != "nothing-changed" for refusal in verdict.refusals):
        return "the gate refused it"
    if not isinstance(outcome, Aborted):
        return "the agent changed nothing"
    ended = _ENDED.get(outcome.why, f"ended as {outcome.why}")
    detail = f" ({one_line(outcome.detail)[-120:]})" if outcome.detail else ""
    return f"the agent {ended}{detail}"


def _turn(state: PullRunState, checks: ChecksSnapshot, seen: FindingCounts, did: str, spent_usd: float) -> Turn:
    review, tests, ci = states(checks)
    return Turn(
        number=state.number,
        head=checks.head,
        review=review,
        tests=tests,
        ci=ci,
        shown=shown(checks),
        did=did,
        signature=signature(failing(checks)),
        seen=seen,
        cost_usd=max(0.0, spent_usd - sum(turn.cost_usd for turn in state.turns)),
    )


def _not_landed(end: Pushed | NotPushed) -> str:
    return f"nothing landed: {end.why}" if isinstance(end, NotPushed) else ""
