"""What a pull-request run leaves to a person: failures that only a waiver could mend."""

from dataclasses import replace

from reknit.core.causes.stale_lock import stale_lock
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot
from reknit.core.fix_pr.decision import left
from reknit.core.fix_pr.state import Fix, Move, PullRunState, StopPullRun
from reknit.core.gate.needed_waivers import Needed, blocked_text, needed_waivers, needs_a_person
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers
from reknit.core.runs.ending import WAIVER, Ending

_RULE = "protected-config"


def known_before(move: Move, waivers: Waivers, state: PullRunState, checks: ChecksSnapshot) -> Move:
    """No agent is paid for a stale lockfile that it may not change: what else fails is worked on first."""
    if not isinstance(move, Fix) or not waivers.ends_at_once:
        return move
    needed = {finding: path for finding in move.findings if (path := _lock_of(finding, waivers))}
    others = tuple(finding for finding in move.findings if finding not in needed)
    if others or not needed:
        return replace(move, findings=others) if needed else move
    return _blocked(tuple((_RULE, path) for path in needed.values()), waivers, state, checks)


def after_refusal(
    verdict: GateVerdict, waivers: Waivers, move: Fix, state: PullRunState, checks: ChecksSnapshot
) -> StopPullRun | None:
    """None: another attempt is worth it. It is if there was more to do than what was refused."""
    needed = needed_waivers(verdict, waivers)
    was_told = bool(move.feedback) and all(path in move.feedback for _, path in needed)
    if (len(move.findings) > 1 and not was_told) or not needs_a_person(needed, needed if was_told else ()):
        return None
    return _blocked(needed, waivers, state, checks)


def _lock_of(finding: Finding, waivers: Waivers) -> str:
    """The lockfile that must change and may not; empty if there is none."""
    name = stale_lock(finding.message)
    path = finding.file or name
    of_the_name = any(each.rule == _RULE and each.path.endswith(name) for each in waivers.allowed)
    is_allowed = waivers.waiver_for(_RULE, path) or (path.startswith("**/") and of_the_name)
    return "" if not name or is_allowed or waivers.forbidding(_RULE, path) else path


def _blocked(needed: Needed, waivers: Waivers, state: PullRunState, checks: ChecksSnapshot) -> StopPullRun:
    reason = blocked_text(tuple(dict.fromkeys(needed)), waivers)
    return StopPullRun(Ending("BLOCKED", reason, WAIVER, state.commits, left(checks)))
