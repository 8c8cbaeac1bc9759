"""Who talks: chosen by the format, by the terminal and by the kind of run."""

import contextlib
import os
import pty
from collections.abc import Callable, Iterator

import pytest

from reknit.interfaces.cli.output.choose_view import choose_output
from reknit.interfaces.cli.output.lines import JsonLines, PlainLines, Terminal
from reknit.interfaces.cli.output.pull_table import PullTerminal


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
