"""Who talks: chosen by the format, by the terminal and by the kind of run."""

import contextlib
import json
import os
import pty
from collections.abc import Iterator

import pytest

from reknit.core.live.activity import Activity, to_document
from reknit.core.runs.view import RunView
from reknit.interfaces.cli.launch.run import choose_output
from reknit.interfaces.cli.output import lines
from reknit.interfaces.cli.output.lines import JsonLines, PlainLines, terminal_columns
from reknit.interfaces.cli.output.panel import PanelTerminal
from reknit.interfaces.cli.output.pull_table import PullTerminal


def test_an_answer_that_goes_into_a_pipe_keeps_its_lines_whole() -> None:
    assert terminal_columns() == 0
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, contextlib.redirect_stdout(terminal):
        assert terminal_columns() > 0
    os.close(ours)


RUN = RunView(
    id="r-5e300990", kind="fix issues", repository="/shop", base="b" * 40, agent="claude", state="running",
    phase="challenge", worker="", reason="", until=None, ending=None, detail={}, commit=None, spent_usd=0.07,
    budget_usd=5.0, created_at=1.0, ended_at=None, undone_at=None, spec={},
)  # fmt: skip


def test_in_a_pipe_each_file_that_an_agent_edits_is_a_line_and_silence_is_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LOOK_EVERY_S", 0.0)
    activity = [Activity("claude", ("runs pytest",)), Activity("claude", ("edits a.py", "runs pytest"))]
    shown = [*activity, activity[1], Activity(tests_done=3)]
    view = PlainLines(lambda _name: json.dumps(to_document(shown[0])))
    while shown:
        monkeypatch.setattr(lines, "HEARTBEAT_S", 0.0 if len(shown) == 1 else 60.0)
        view.tick(RUN)
        shown.pop(0)
    edited, heartbeat = capsys.readouterr().err.splitlines()
    assert edited.endswith("r-5e300990 claude edits a.py")
    assert heartbeat.endswith("r-5e300990 still at challenges the whole change, 3 tests have run, $0.07 spent")


def nothing(_name: str) -> str:
    return ""


@contextlib.contextmanager
def on_a_terminal() -> Iterator[None]:
    """Make stderr a terminal."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, contextlib.redirect_stderr(terminal):
        yield
    os.close(ours)


def test_on_a_terminal_a_pull_request_has_a_view_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    with on_a_terminal():
        assert isinstance(choose_output("text", nothing, has_table=True), PullTerminal)
        assert isinstance(choose_output("text", nothing), PanelTerminal)
        assert isinstance(choose_output("json", nothing), JsonLines)


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with on_a_terminal():
        assert isinstance(choose_output("text", nothing, has_table=True), PlainLines)


@pytest.mark.parametrize("has_table", [False, True], ids=["another run", "a pull request"])
def test_in_a_pipe_every_run_talks_in_plain_lines(*, has_table: bool) -> None:
    assert isinstance(choose_output("text", nothing, has_table=has_table), PlainLines)
