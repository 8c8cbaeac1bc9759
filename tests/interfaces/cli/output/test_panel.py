"""The panel of a terminal: what is done stays above it, what happens now is in it."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from reknit.core.live.activity import Activity, to_document
from reknit.core.runs.event import Event
from reknit.core.runs.view import EventView
from reknit.interfaces.cli.output.panel import PanelTerminal
from tests.interfaces.cli.output.test_lines import RUN


def screen(width: int, activity: Activity, *events: Event, state: str = "running", reason: str = "") -> str:
    """Everything that was written to a terminal of that width."""
    written = io.StringIO()
    console = Console(file=written, width=width, force_terminal=True, color_system=None, soft_wrap=True)
    with PanelTerminal(lambda _name: json.dumps(to_document(activity)), console=console) as view:
        for number, event in enumerate(events):
            view.tell(EventView(number, RUN.id, 1.0, event))
        view.tick(replace(RUN, state=state, reason=reason))  # type: ignore[arg-type]
    return written.getvalue()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_what_the_agent_does_and_how_to_leave_are_shown_at_every_width(width: int) -> None:
    shown = screen(width, Activity("claude", ("edits shop/pricing.py", "runs pytest " + "x" * 200)))
    assert "edits shop/pricing.py" in shown
    assert "ctrl-c leaves (reknit resume r-5e300990)" in shown
    assert "challenges the whole change" in shown
    frame = [line for line in shown.split("\n") if line.startswith(("│", "╰"))]
    assert {len(line) for line in frame if "\x1b" not in line} == {width}


def test_finished_lines_stay_above_the_panel() -> None:
    shown = screen(80, Activity(), Event("gate", "ok", "gate", "1 file"), Event("attempt", "..", "attempt 1", "hidden"))
    assert "  ok    gate        1 file" in shown
    assert "hidden" not in shown


def test_a_reason_with_brackets_is_shown_as_it_is() -> None:
    assert "for [/red] of it" in screen(80, Activity(), state="waiting", reason="for [/red] of it")
