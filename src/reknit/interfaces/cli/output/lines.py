"""Live output of a run: a status line in a terminal, plain lines in a pipe, JSON Lines for programs."""

import json
import shutil
import sys
import textwrap
import time
from types import TracebackType
from typing import Protocol, Self

from reknit.core.run_text import build_event_document, describe_step, follow_readers, render_event
from reknit.core.runs.view import EventView, RunView, describe_spending
from reknit.core.text.format import format_seconds
from reknit.core.text.truncate import truncate_columns
from reknit.interfaces.cli.output.echo import echo

HEARTBEAT_S = 60.0
LEAVES = "ctrl-c leaves"
LEAST_STEP_WIDTH = 32
"""Minimum width for the current step: no step of a run has a longer text."""
SPINNER = 3
"""The spinner, its blank, and the last column, where some terminals wrap."""


class RunOutput(Protocol):
    """A view of a run while it works."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None
    ) -> None: ...
    def tell(self, view: EventView) -> None: ...
    def tick(self, run: RunView) -> None: ...


def terminal_columns() -> int:
    """Return the width of the terminal of stdout; 0: stdout is no terminal, and lines are not wrapped."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


class _Quiet:
    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None) -> None:
        """Nothing to restore."""

    def tick(self, run: RunView) -> None:
        """Nothing to show between events."""


class JsonLines(_Quiet):
    """A view for programs: one JSON object per event."""

    def tell(self, view: EventView) -> None:
        echo(json.dumps(build_event_document(view)))


class PlainLines(_Quiet):
    """A view for pipes and logs: one line per event, and a heartbeat."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def tell(self, view: EventView) -> None:
        if view.event.kind == "started":
            return  # the head line shows it
        self._last = time.monotonic()
        clock = time.strftime("%H:%M:%S", time.localtime(view.at))
        event = view.event
        echo(f"{clock} {view.run_id} {event.mark} {event.label}: {event.text}", err=True)

    def tick(self, run: RunView) -> None:
        if time.monotonic() - self._last > HEARTBEAT_S:
            self._last = time.monotonic()
            echo(f"{time.strftime('%H:%M:%S')} {run.id} still at {describe_step(run) or run.state}", err=True)


def _wrap_line(line: str, width: int) -> list[str]:
    """Wrap a line, indented to its column and between words: ids and commands must be easy to copy."""
    return textwrap.wrap(line, width, subsequent_indent=" " * 12, break_long_words=False, break_on_hyphens=False)


class Terminal(_Quiet):
    """Finished lines stay; the last line shows the current step, for how long, and how to leave."""

    def __init__(self, leave: str = "") -> None:
        from rich.console import Console

        self._leave = leave
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._status = self._console.status("starting")
        self._step, self._since = "", time.monotonic()
        self._readers: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None) -> None:
        self._status.stop()

    def tell(self, view: EventView) -> None:
        from rich.text import Text

        self._readers = follow_readers(self._readers, view.event)
        if view.event.mark == ".." or view.event.kind == "started":
            return  # the live line shows the first while it lasts, the head line the second
        colour = {"ok": "green", "bad": "red", "wait": "yellow"}.get(view.event.mark, "")
        line = Text("\n".join(_wrap_line(render_event(view.event), self._console.width)))
        line.stylize(colour, 2, 6)
        self._console.print(line)

    def tick(self, run: RunView) -> None:
        from rich.text import Text

        now = f"{run.phase}/{run.state}"
        if now != self._step:
            self._step, self._since = now, time.monotonic()
        readers = f"review: {', '.join(self._readers)}" if self._readers else ""
        current_step = run.reason if run.state == "waiting" else readers or describe_step(run) or "starting"
        self._status.update(
            Text(render_live_line(run, current_step, time.monotonic() - self._since, self._width(), self._leave))
        )

    def _width(self) -> int:
        return self._console.width - SPINNER


def render_live_line(run: RunView, current_step: str, since_s: float, width: int, leave: str) -> str:
    """Return the live line. If it is too long, the hint on how to leave is shortened before the current step is cut."""
    since, cost = format_seconds(since_s), describe_spending(run)
    ways = (f"   {cost}   {leave_hint(run.id, leave)}", f"   {cost}   {LEAVES}", f"   {cost}", "")
    least = min(len(current_step), LEAST_STEP_WIDTH)
    rest = next((way for way in ways if least + len(f"  {since}{way}") <= width), "")
    space = max(width - len(f"  {since}{rest}"), 1)
    return f"{truncate_columns(current_step, space)}  {since}{rest}"


def leave_hint(run_id: str, leave: str) -> str:
    """Return the hint on what Ctrl-C does."""
    return f"{LEAVES} ({leave or f'reknit resume {run_id}'})"
