"""The live view of a run in a terminal: finished lines stay, and below them a panel shows the work in progress."""

import textwrap
import time
from pathlib import PurePath
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from reknit.core.live.activity import Activity
from reknit.core.live.panel import LiveFacts, follow_event, render_panel
from reknit.core.run_text import render_event
from reknit.core.runs.view import EventView, RunView
from reknit.interfaces.cli.output.lines import LEAVES, LOOK_EVERY_S, Quiet, Read, leave_hint, load_activity

WIDEST = 120
_FRAME = 4
"""Columns of the panel's frame."""
_COLOURS = {"ok": "green", "bad": "red", "wait": "yellow"}


class PanelTerminal(Quiet):
    """Shows events as lines, and what happens now in a panel below them. The panel goes when the run ends."""

    def __init__(self, read: Read, leave: str = "", console: Console | None = None) -> None:
        self._read, self._leave = read, leave
        self._console = console or Console(stderr=True, highlight=False, soft_wrap=True)
        self._live: Live | None = None
        self._facts, self._activity = LiveFacts(), Activity()
        self._step, self._since = "", time.monotonic()
        self._looked = -LOOK_EVERY_S

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None) -> None:
        if self._live:
            self._live.stop()

    def tell(self, view: EventView) -> None:
        self._facts = follow_event(self._facts, view.event)
        if view.event.mark == ".." or view.event.kind == "started":
            return  # the panel shows the first while it lasts, the head line the second
        line = Text("\n".join(_wrap_line(render_event(view.event), self._console.width)))
        line.stylize(_COLOURS.get(view.event.mark, ""), 2, 6)
        (self._live.console if self._live else self._console).print(line)

    def tick(self, run: RunView) -> None:
        step = f"{run.phase}/{run.state}"
        if step != self._step:
            self._step, self._since = step, time.monotonic()
        if time.monotonic() - self._looked >= LOOK_EVERY_S:
            self._looked, self._activity = time.monotonic(), load_activity(self._read)
        if self._live is None:
            self._live = Live(
                console=self._console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
            )
            self._live.start()
        self._live.update(Group(self._draw(run), ""), refresh=True)  # ctrl-c is echoed on the empty line

    def _draw(self, run: RunView) -> Panel:
        width = min(self._console.width, WIDEST)
        since_s = time.monotonic() - self._since
        lines = render_panel(
            run, self._facts, self._activity, since_s=since_s, now=time.time(), width=width - _FRAME
        )  # fmt: skip
        title = f"reknit {run.kind} · {PurePath(run.repository).name} · {run.base[:7]}"
        hint = leave_hint(run.id, self._leave)
        below = hint if len(hint) + _FRAME + 2 <= width else LEAVES
        rows = (Text(line, no_wrap=True, overflow="ellipsis") for line in lines)
        return Panel(Group(*rows), title=Text(title), subtitle=Text(below), width=width, border_style="dim")


def _wrap_line(line: str, width: int) -> list[str]:
    """Wrap a line, indented to its column and between words: ids and commands must be easy to copy."""
    return textwrap.wrap(line, width, subsequent_indent=" " * 12, break_long_words=False, break_on_hyphens=False)
