"""Who talks: chosen by the format, by the terminal and by the kind of run."""

import contextlib
import os
import pty
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from reknit.core.run_text import describe_step
from reknit.core.runs.view import RunView
from reknit.interfaces.cli.launch.run import choose_output
from reknit.interfaces.cli.output.lines import (
    SPINNER,
    JsonLines,
    PlainLines,
    Terminal,
    render_live_line,
    terminal_columns,
)
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


@pytest.mark.parametrize(
    ("width", "line"),
    [
        pytest.param(
            120,
            "challenges the whole change  12 s   $0.07 of $5.00   ctrl-c leaves (reknit resume r-5e300990)",
            id="all",
        ),
        pytest.param(80, "challenges the whole change  12 s   $0.07 of $5.00   ctrl-c leaves", id="80 columns"),
        pytest.param(60, "challenges the whole change  12 s   $0.07 of $5.00", id="without the way to leave"),
        pytest.param(40, "challenges the whole change  12 s", id="without what it cost"),
        pytest.param(20, "challenges…  12 s", id="cut"),
    ],
)
def test_the_live_line_fits_and_ends_with_something_whole(width: int, line: str) -> None:
    assert render_live_line(RUN, describe_step(RUN), 12.3, width - SPINNER, "") == line
    assert len(line) <= width - SPINNER


def test_a_reason_with_brackets_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, contextlib.redirect_stderr(terminal), Terminal() as display:
        display.tick(replace(RUN, state="waiting", reason="for [/red] of it"))
    shown = b""
    with contextlib.suppress(OSError):  # its way to say that all is read
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    assert "for [/red] of it" in shown.decode()


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
        assert isinstance(choose_output("text", nothing), PullTerminal)
        assert isinstance(choose_output("text"), Terminal)
        assert isinstance(choose_output("json", nothing), JsonLines)


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with on_a_terminal():
        assert isinstance(choose_output("text", nothing), Terminal)


@pytest.mark.parametrize("pull", [None, nothing], ids=["another run", "a pull request"])
def test_in_a_pipe_every_run_talks_in_plain_lines(pull: Callable[[str], str] | None) -> None:
    assert isinstance(choose_output("text", pull), PlainLines)
