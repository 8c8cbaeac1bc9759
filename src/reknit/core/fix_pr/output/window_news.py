"""News of a pull-request run for the window that started it."""

from dataclasses import replace

from reknit.core.capability import StoredRun
from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.fix_pr.output.record import IterationRecord, Record
from reknit.core.fix_pr.output.run_text import format_ending
from reknit.core.next_steps import list_next_steps
from reknit.core.runs.view import RunView, get_pull, warn_beside_clean
from reknit.core.text.format import to_one_line

_STOPPED_STATES = ("interrupted", "left")
_MAX_AGE_S = 30 * 24 * 3600


def format_news(watch: PullWatch, run: RunView, record: Record, attempts: int) -> tuple[str, PullWatch | None]:
    """Return the news for the window, and the watch that includes them; None once the run has ended."""
    fresh = [turn for turn in record.turns if turn.number > watch.iterations]
    if run.ending:
        reported = fresh[:-1] if fresh and not fresh[-1].commit else fresh  # the ending has the last results
        notes = [f"note: {warning}"] if (warning := warn_beside_clean(run)) else []
        steps = (f"  {label:<6}  {command}" for label, command in list_next_steps(StoredRun(run)))
        ending = "\n".join([f"PR {format_ending(run, attempts, record)}", *steps])
        return "\n".join([*(_format_iteration(turn, run) for turn in reported), *notes, ending]), None
    lines = [_format_iteration(turn, run) for turn in fresh]
    if any(turn.commit for turn in fresh):
        lines.append("`git pull` brings the pushed commits here.")
    is_stopped = run.state in _STOPPED_STATES
    if is_stopped and not watch.is_stopped:
        lines.append(_format_stop(run))
    iterations = fresh[-1].number if fresh else watch.iterations
    return "\n".join(lines), replace(watch, iterations=iterations, is_stopped=is_stopped)


def is_outdated(run: RunView | None, now: float) -> bool:
    """Return True if the watch can be deleted: the run ended long ago, or is no longer known (None)."""
    return run is None or (run.ended_at is not None and now - run.ended_at > _MAX_AGE_S)


def format_progress(run: RunView, record: Record) -> str:
    """Format the present state, for a window that receives news of the run from now on."""
    pull = get_pull(run)
    position = f"iteration {record.under_way} of {pull['limits']['iterations']}"
    return f"{run.id} repairs PR #{pull['number']} in the background, {position}: `reknit watch {run.id}`"


def _format_stop(run: RunView) -> str:
    number, why = get_pull(run)["number"], f" ({to_one_line(run.reason)})" if run.reason else ""
    if run.state == "left":
        return f"PR #{number}: the worker of {run.id} died; another one continues the run."
    return f"PR #{number}: {run.id} is stopped{why}. `/fix-pr` or `reknit resume {run.id}` continues it."


def _format_iteration(turn: IterationRecord, run: RunView) -> str:
    pull, (review, tests, ci) = get_pull(run), turn.shown
    pushed = f", pushed {turn.commit[:7]}" if turn.commit else ""
    label = f"PR #{pull['number']} iteration {turn.number} of {pull['limits']['iterations']}"
    return f"{label}: review {review}, tests {tests}, CI {ci}; {turn.did}{pushed}"
