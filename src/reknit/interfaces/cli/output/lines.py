"""Output of a run while it works: plain lines in a pipe, JSON Lines for programs; a terminal has a panel."""

import json
import shutil
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from reknit.core.live.activity import DOCUMENT, Activity, read_activity
from reknit.core.run_text import build_event_document, describe_step
from reknit.core.runs.view import EventView, RunView
from reknit.interfaces.cli.output.echo import echo

HEARTBEAT_S = 60.0
LOOK_EVERY_S = 1.0
_EDITS = ("edits ", "changed ")
LEAVES = "ctrl-c leaves"
Read = Callable[[str], str]
"""Returns a document of the run by its name; empty: it does not exist yet."""


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


class Quiet:
    """A view with nothing to restore, and nothing to show between events."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, it: BaseException | None, at: TracebackType | None) -> None:
        """Nothing to restore."""

    def tick(self, run: RunView) -> None:
        """Nothing to show between events."""


class JsonLines(Quiet):
    """A view for programs: one JSON object per event."""

    def tell(self, view: EventView) -> None:
        echo(json.dumps(build_event_document(view)))


class PlainLines(Quiet):
    """A view for pipes and logs: one line per event, one for each file that an agent edits, and a heartbeat."""

    def __init__(self, read: Read = lambda _name: "") -> None:
        self._last = self._looked = time.monotonic()
        self._read, self._newest = read, ""

    def tell(self, view: EventView) -> None:
        if view.event.kind == "started":
            return  # the head line shows it
        self._last = time.monotonic()
        clock = time.strftime("%H:%M:%S", time.localtime(view.at))
        event = view.event
        echo(f"{clock} {view.run_id} {event.mark} {event.label}: {event.text}", err=True)

    def tick(self, run: RunView) -> None:
        now = time.monotonic()
        if now - self._looked < LOOK_EVERY_S:
            return
        self._looked = now
        activity = load_activity(self._read)
        edits = [line for line in activity.lines if line.startswith(_EDITS)]
        if edits and edits[0] != self._newest:
            self._newest = edits[0]
            self._say(run, f"{activity.agent} {edits[0]}")
        elif now - self._last > HEARTBEAT_S:
            count = f", {activity.tests_done} tests have run" if activity.tests_done else ""
            self._say(run, f"still at {describe_step(run) or run.state}{count}, ${run.spent_usd:.2f} spent")

    def _say(self, run: RunView, text: str) -> None:
        self._last = time.monotonic()
        echo(f"{time.strftime('%H:%M:%S')} {run.id} {text}", err=True)


def load_activity(read: Read) -> Activity:
    """Return what the run does now."""
    return read_activity(json.loads(read(DOCUMENT) or "{}"))


def leave_hint(run_id: str, leave: str) -> str:
    """Return the hint on what Ctrl-C does."""
    return f"{LEAVES} ({leave or f'reknit resume {run_id}'})"
