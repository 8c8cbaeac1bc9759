"""How a run is shown: a live view in a terminal, plain lines in a pipe, JSON Lines for programs."""

import json
import shutil
import sys
import textwrap
import time
from types import TracebackType
from typing import Protocol, Self

from reknit.core.run_text import doing, event_document, event_line
from reknit.core.runs.view import EventView, RunView
from reknit.core.text.format import seconds, spent_of
from reknit.core.text.truncate import truncate_columns
from reknit.interfaces.cli.output.echo import echo

HEARTBEAT_S = 60.0
LEAVES = "ctrl-c leaves"
LEAST_WHAT = 32
"""Minimum width for the current step: no step of a run has a longer text."""
SPINNER = 3
"""The spinner, its blank, and the last column, where some terminals wrap."""


class RunOutput(Protocol):
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None
    ) -> None: ...
    def tell(self, seen: EventView) -> None: ...
    def tick(self, run: RunView) -> None: ...


def columns() -> int:
    """Width of the terminal that stdout goes to; 0: it goes elsewhere, and lines are not wrapped."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


class _Quiet:
    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None) -> None:
        """Nothing to restore."""

    def tick(self, run: RunView) -> None:
        """Nothing to show between events."""


class JsonLines(_Quiet):
    def tell(self, seen: EventView) -> None:
        echo(json.dumps(event_document(seen)))


class PlainLines(_Quiet):
    def __init__(self) -> None:
        self._last = time.monotonic()

    def tell(self, seen: EventView) -> None:
        if seen.event.kind == "started":
            return  # the head line shows it
        self._last = time.monotonic()
        clock = time.strftime("%H:%M:%S", time.localtime(seen.at))
        event = seen.event
        echo(f"{clock} {seen.run_id} {event.mark} {event.label}: {event.text}", err=True)

    def tick(self, run: RunView) -> None:
        if time.monotonic() - self._last > HEARTBEAT_S:
            self._last = time.monotonic()
            echo(f"{time.strftime('%H:%M:%S')} {run.id} still at {doing(run) or run.state}", err=True)


def _wrapped(line: str, width: int) -> list[str]:
    """Indented to its column, and never broken within a word: it must be possible to copy an id or a command."""
    return textwrap.wrap(line, width, subsequent_indent=" " * 12, break_long_words=False, break_on_hyphens=False)


class Terminal(_Quiet):
    """Finished lines stay; the last line shows the current step, for how long, and how to leave."""

    def __init__(self, leave: str = "") -> None:
        from rich.console import Console

        self._leave = leave
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._status = self._console.status("starting")
        self._step, self._since = "", time.monotonic()

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None) -> None:
        self._status.stop()

    def tell(self, seen: EventView) -> None:
        from rich.text import Text

        if seen.event.mark == ".." or seen.event.kind == "started":
            return  # the live line shows the first while it lasts, the head line the second
        colour = {"ok": "green", "bad": "red", "wait": "yellow"}.get(seen.event.mark, "")
        line = Text("\n".join(_wrapped(event_line(seen.event), self._console.width)))
        line.stylize(colour, 2, 6)
        self._console.print(line)

    def tick(self, run: RunView) -> None:
        from rich.text import Text

        now = f"{run.phase}/{run.state}"
        if now != self._step:
            self._step, self._since = now, time.monotonic()
        what = run.reason if run.state == "waiting" else doing(run) or "starting"
        self._status.update(Text(live_line(run, what, time.monotonic() - self._since, self._width(), self._leave)))

    def _width(self) -> int:
        return self._console.width - SPINNER


def live_line(run: RunView, what: str, since_s: float, width: int, leave: str) -> str:
    """In full if it fits; otherwise the hint on how to leave is shortened before the current step is cut."""
    since, spent = seconds(since_s), spent_of(run.spent_usd, run.budget_usd)
    ways = (f"   {spent}   {leaving(run.id, leave)}", f"   {spent}   {LEAVES}", f"   {spent}", "")
    least = min(len(what), LEAST_WHAT)
    rest = next((way for way in ways if least + len(f"  {since}{way}") <= width), "")
    space = max(width - len(f"  {since}{rest}"), 1)
    return f"{truncate_columns(what, space)}  {since}{rest}"


def leaving(run_id: str, leave: str) -> str:
    return f"{LEAVES} ({leave or f'reknit resume {run_id}'})"
