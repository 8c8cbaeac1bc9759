"""Texts of the web pages, made from the same texts that the terminal shows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reknit.core.capability import StoredRun
from reknit.core.dashboard.values import Cursor, WeekOfFixes, WeekOfSpending
from reknit.core.next_steps import list_next_steps
from reknit.core.run_text import render_ending, render_event, render_headline, render_run
from reknit.core.runs.view import EventView, RunView, describe_spending
from reknit.core.text.format import pluralize, sanitize_line
from reknit.core.text.redact import clean, redact

_CURSOR = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)_(r-[0-9a-z-]{1,40})")
_MAX_EVENTS = 500
"""Events that a page shows, the newest ones."""


@dataclass(frozen=True)
class Row:
    """One run in a list."""

    id: str
    kind: str
    repository: str
    headline: str
    age: str
    spent: str
    command: str
    """The command that helps; empty if none is needed."""


@dataclass(frozen=True)
class RunPage:
    """The page of one run."""

    row: Row
    state: str
    ending: str
    """The ending as the terminal prints it; empty while the run is open."""
    details: str
    """The run as `reknit show` prints it."""
    events: tuple[tuple[float, str], ...]
    left_out: int
    can_stop: bool
    can_resume: bool


def build_row(run: RunView, now: float) -> Row:
    """Return the line of a run in a list."""
    return Row(
        run.id, run.kind, name_repository(run.repository), sanitize_line(render_headline(run)),
        format_age(now - (run.ended_at or run.created_at)), describe_spending(run),
        suggest_command(run),
    )  # fmt: skip


def build_run_page(stored: StoredRun, events: Sequence[EventView], now: float) -> RunPage:
    """Return the page of a run."""
    run = stored.run
    newest = events[-_MAX_EVENTS:]
    return RunPage(
        build_row(run, now), run.state, redact(render_ending(stored)) if run.ending else "",
        redact(render_run(stored)), tuple((view.at, clean(render_event(view.event))) for view in newest),
        len(events) - len(newest), run.state in ("queued", "running", "waiting"),
        run.state in ("interrupted", "left"),
    )  # fmt: skip


def suggest_command(run: RunView) -> str:
    """Return the one command that helps with a run; empty if it needs nobody."""
    if run.ending in ("BLOCKED", "UNVERIFIED", "DEFERRED"):
        return list_next_steps(StoredRun(run))[0].command
    if run.state in ("interrupted", "left"):
        return f"reknit resume {run.id}"
    return "reknit worker" if run.state == "queued" else ""


def name_repository(path: str) -> str:
    """Return the last part of a repository's path, as one harmless line."""
    return sanitize_line(path.rstrip("/").rpartition("/")[2], 60)


def format_age(seconds: float) -> str:
    """Return an age in its largest unit: `40 s`, `3 min`, `2 h` or `5 days`."""
    seconds = max(0.0, seconds)
    for most, size, unit in ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h")):
        if seconds < most:
            return f"{int(seconds / size)} {unit}"
    return pluralize(int(seconds / 86_400), "day")


def format_cursor(cursor: Cursor | None) -> str:
    """Return a cursor as it is written in an address."""
    return f"{cursor.at!r}_{cursor.id}" if cursor else ""


def parse_cursor(text: str) -> Cursor | None:
    """Return the cursor of an address; None if there is none, or it is malformed."""
    match = _CURSOR.fullmatch(text)
    return Cursor(float(match[1]), match[2]) if match else None


def describe_fixes(weeks: Sequence[WeekOfFixes]) -> str:
    """Return the sentence above the table of fixes."""
    landed, undone = sum(week.landed for week in weeks), sum(week.undone for week in weeks)
    was = "was" if undone == 1 else "were"
    return f"{pluralize(landed, 'run')} landed a change in the last 12 weeks; {undone} of them {was} undone."


def summarize_spending(weeks: Sequence[WeekOfSpending]) -> str:
    """Return the sentence above the table of costs."""
    usd, runs = sum(week.usd for week in weeks), sum(week.runs for week in weeks)
    return f"${usd:.2f} in {pluralize(runs, 'run')} that began in the last 12 weeks."
