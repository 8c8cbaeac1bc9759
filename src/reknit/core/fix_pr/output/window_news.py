"""What is new to a window about its pull-request run."""

from dataclasses import replace

from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.fix_pr.output.record import IterationRecord, Record
from reknit.core.fix_pr.output.run_text import ending_text
from reknit.core.runs.view import RunView, beside_clean, pull_of
from reknit.core.text.format import one_line

_STOPPED = ("interrupted", "left")
_KEPT_S = 30 * 24 * 3600


def news(watch: PullWatch, run: RunView, record: Record, attempts: int) -> tuple[str, PullWatch | None]:
    """What to tell the window, and what it knows then; None: the run has ended, and nothing more will come."""
    fresh = [turn for turn in record.turns if turn.number > watch.iterations]
    if run.ending:
        told = fresh[:-1] if fresh and not fresh[-1].commit else fresh  # the ending says what the last look saw
        notes = [f"note: {beside}"] if (beside := beside_clean(run)) else []
        ending = f"PR {ending_text(run, attempts, record)}"
        return "\n".join([*(_iteration(turn, run) for turn in told), *notes, ending]), None
    lines = [_iteration(turn, run) for turn in fresh]
    if any(turn.commit for turn in fresh):
        lines.append("`git pull` brings the pushed commits here.")
    is_stopped = run.state in _STOPPED
    if is_stopped and not watch.is_stopped:
        lines.append(_stopped(run))
    known = fresh[-1].number if fresh else watch.iterations
    return "\n".join(lines), replace(watch, iterations=known, is_stopped=is_stopped)


def is_outdated(run: RunView | None, now: float) -> bool:
    """Whether a window that was not told its end was closed long ago. None: the run is no longer known."""
    return run is None or (run.ended_at is not None and now - run.ended_at > _KEPT_S)


def progress_text(run: RunView, record: Record) -> str:
    """For a window that is told about the run from now on."""
    pull = pull_of(run)
    where = f"iteration {record.under_way} of {pull['limits']['iterations']}"
    return f"{run.id} repairs PR #{pull['number']} in the background, {where}: `reknit watch {run.id}`"


def _stopped(run: RunView) -> str:
    number, why = pull_of(run)["number"], f" ({one_line(run.reason)})" if run.reason else ""
    if run.state == "left":
        return f"PR #{number}: the worker of {run.id} died; another one continues the run."
    return f"PR #{number}: {run.id} is parked{why}. `/fix-pr` or `reknit resume {run.id}` continues it."


def _iteration(turn: IterationRecord, run: RunView) -> str:
    pull, (review, tests, ci) = pull_of(run), turn.shown
    pushed = f", pushed {turn.commit[:7]}" if turn.commit else ""
    which = f"PR #{pull['number']} iteration {turn.number} of {pull['limits']['iterations']}"
    return f"{which}: review {review}, tests {tests}, CI {ci}; {turn.did}{pushed}"
