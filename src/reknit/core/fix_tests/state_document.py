"""The state of a `fix tests` run as the state of a bug: `show --format state`."""

from collections.abc import Mapping, Sequence

from reknit.core.agents.strategy import ESCALATION
from reknit.core.attempt_text import attempt_result
from reknit.core.bug_state import STRATEGY_NAMES, BugAttempt, BugState, BugStatus
from reknit.core.capability import StoredRun
from reknit.core.runs.view import AttemptView, RunView

_STATUS: Mapping[str | None, BugStatus] = {None: "in_progress", "FIXED": "FIXED", "CLEAN": "FIXED"}
"""A run that ended in any other way gave up for now, which `last_error` explains."""


def state_document(stored: StoredRun) -> dict[str, object]:
    """A run without a bug's id has its own. `attempt` is the one under way, or the last one."""
    run, attempts = stored.run, stored.attempts
    status = _STATUS.get(run.ending, "DEFERRED")
    return BugState(
        bug_id=str(run.spec.get("bug") or run.id),
        test_path=" ".join(_named(run)),
        attempt=len(attempts),
        max_attempts=_attempts_allowed(run),
        status=status,
        strategy=_name(attempts[-1].strategy if attempts else ESCALATION[0]),
        last_error="" if status == "FIXED" else _last_error(run, attempts),
        history=tuple(
            BugAttempt(each.number, _name(each.strategy), attempt_result(each)) for each in attempts if each.ended_at
        ),
    ).document()


def _named(run: RunView) -> Sequence[str]:
    named = run.spec.get("named")
    return [str(name) for name in named] if isinstance(named, list | tuple) else []


def _attempts_allowed(run: RunView) -> int:
    limits = run.spec.get("limits")
    return int(limits["attempts"]) if isinstance(limits, Mapping) else len(ESCALATION)


def _last_error(run: RunView, attempts: Sequence[AttemptView]) -> str:
    ended = [attempt for attempt in attempts if attempt.ended_at]
    return run.reason if run.ending else attempt_result(ended[-1]) if ended else ""


def _name(strategy: str) -> str:
    return STRATEGY_NAMES.get(strategy, strategy)
