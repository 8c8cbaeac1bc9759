"""What a pull-request run leaves to a person: failures that only a waiver could mend."""

from dataclasses import replace

from reknit.core.causes.stale_lock import RULE, lock_to_allow
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot
from reknit.core.fix_pr.decision import left
from reknit.core.fix_pr.state import Fix, Move, PullRunState, StopPullRun
from reknit.core.gate.needed_waivers import Needed, blocked_text, needed_waivers, needs_a_person, only_a_person_helps
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers
from reknit.core.runs.ending import WAIVER, Ending


def known_before(move: Move, waivers: Waivers, state: PullRunState, checks: ChecksSnapshot) -> Move:
    """No agent is paid for a stale lockfile that it may not change: what else fails is worked on first."""
    if not isinstance(move, Fix):
        return move
    needed = {finding: path for finding in move.findings if (path := lock_to_allow(finding, waivers))}
    others = tuple(finding for finding in move.findings if finding not in needed)
    if others or not needed:
        return replace(move, findings=others) if needed else move
    return _blocked(tuple((RULE, path) for path in needed.values()), waivers, state, checks)


def after_refusal(
    verdict: GateVerdict, waivers: Waivers, move: Fix, state: PullRunState, checks: ChecksSnapshot
) -> StopPullRun | None:
    """None: another attempt is worth it. It is if there was more to do than what was refused."""
    needed = needed_waivers(verdict, waivers)
    was_told = bool(move.feedback) and all(path in move.feedback for _, path in needed)
    at_once = len(move.findings) == 1 and only_a_person_helps(verdict, (move.findings[0].file,))
    if not needs_a_person(needed, needed if was_told else (), at_once=at_once):
        return None
    return _blocked(needed, waivers, state, checks)


def _blocked(needed: Needed, waivers: Waivers, state: PullRunState, checks: ChecksSnapshot) -> StopPullRun:
    reason = blocked_text(tuple(dict.fromkeys(needed)), waivers)
    return StopPullRun(Ending("BLOCKED", reason, WAIVER, state.commits, left(checks)))
