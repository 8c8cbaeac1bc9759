"""Who talks: chosen by the format, by the terminal and by the kind of run."""

import contextlib
import os
import pty
from collections.abc import Callable, Iterator

import pytest

from reknit.interfaces.cli.pull_view import PullTerminal
from reknit.interfaces.cli.talk import JsonLines, PlainLines, Terminal, columns, talk


def nothing(_name: str) -> str:
    return ""


@contextlib.contextmanager
def on_a_terminal() -> Iterator[None]:
    """stderr is one."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, contextlib.redirect_stderr(terminal):
        yield
    os.close(ours)


def test_on_a_terminal_a_pull_request_has_a_view_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    with on_a_terminal():
        assert isinstance(talk("text", nothing), PullTerminal)
        assert isinstance(talk("text"), Terminal)
        assert isinstance(talk("json", nothing), JsonLines)


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with on_a_terminal():
        assert isinstance(talk("text", nothing), Terminal)


@pytest.mark.parametrize("pull", [None, nothing], ids=["another run", "a pull request"])
def test_in_a_pipe_every_run_talks_in_plain_lines(pull: Callable[[str], str] | None) -> None:
    assert isinstance(talk("text", pull), PlainLines)


def test_an_answer_that_goes_into_a_pipe_keeps_its_lines_whole() -> None:
    assert columns() == 0
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, contextlib.redirect_stdout(terminal):
        assert columns() > 0
    os.close(ours)
