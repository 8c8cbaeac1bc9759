"""Who talks: chosen by the format, by the terminal and by the kind of run."""

import contextlib
import os
import pty
from dataclasses import replace

import pytest

from reknit.core.run_text import doing
from reknit.core.runs.view import RunView
from reknit.interfaces.cli.output.lines import SPINNER, Terminal, columns, live_line


def test_an_answer_that_goes_into_a_pipe_keeps_its_lines_whole() -> None:
    assert columns() == 0
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, contextlib.redirect_stdout(terminal):
        assert columns() > 0
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
    assert live_line(RUN, doing(RUN), 12.3, width - SPINNER, "") == line
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
