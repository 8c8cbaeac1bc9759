"""The demo, in each way it talks."""

import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reknit.core.runs.event import Event
from reknit.core.runs.view import EventView
from reknit.interfaces.cli.output.lines import PlainLines
from tests.tools.command_line import CommandLine

PLAIN = re.compile(r"\d\d:\d\d:\d\d r-\w+ (ok|bad|\.\.|wait|note) [\w -]+: .*")


def test_for_programs_every_line_is_a_document_and_the_last_is_the_ending(reknit: CommandLine, tmp_path: Path) -> None:
    answer = reknit.run("demo", "--format", "json", "--keep", str(tmp_path / "kept"))
    assert answer.exit_code == 0
    assert all(line["schema"] == 1 and line["run"] == answer.ending["run"] for line in answer.lines)
    ending = answer.ending
    assert (ending["event"], ending["ending"], ending["exit_code"]) == ("ending", "FIXED", 0)
    assert len(ending["attempts"]) == 3
    assert ending["receipt"]["commit"] == ending["commit"]
    assert (tmp_path / "kept" / "shop" / "shop" / "pricing.py").is_file()


def test_in_a_pipe_it_talks_in_plain_lines_and_the_answer_is_on_stdout(reknit: CommandLine) -> None:
    answer = reknit.run("demo", "--hopeless")
    assert answer.exit_code == 1
    assert answer.out.startswith("DEFERRED  0 of 1   3 attempt(s)")
    assert "\x1b" not in answer.out + answer.err
    lines = answer.err.splitlines()[2:]
    assert len(lines) > 10
    assert [line for line in lines if not PLAIN.fullmatch(line)] == []


def test_five_cheats_are_refused_by_what_they_did_and_the_repair_lands(reknit: CommandLine) -> None:
    answer = reknit.run("demo", "--cheats", "--format", "json")
    assert (answer.exit_code, answer.ending["ending"]) == (0, "FIXED")
    assert [attempt["proof"] for attempt in answer.ending["attempts"]] == ["refused"] * 5 + ["proven"]
    answers = [
        {check["check"]: check["answer"] for check in line["checks"]}
        for line in answer.lines
        if line["event"] == "verify"
    ]
    assert all("tampering" in said.values() for said in answers[:5])
    spoke = {check for said in answers[:5] for check, word in said.items() if word == "tampering"}
    assert spoke == {"canaries", "twins", "second-harness"}
    assert answers[5] == dict.fromkeys(spoke, "held")


def on_a_terminal(reknit: CommandLine, **more: str) -> str:
    """stderr is a terminal; what appeared on it."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "reknit", "demo"],
        env={**reknit.environment, "TERM": "xterm-256color", **more},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:
        pass  # how Linux says that the other side was closed
    os.close(ours)
    assert child.wait(timeout=60) == 0
    return seen.decode()


@pytest.mark.parametrize(
    ("more", "has_colour"),
    [pytest.param({}, True, id="in colour"), pytest.param({"NO_COLOR": "1"}, False, id="without, when told so")],
)
def test_on_a_terminal_it_is_alive(reknit: CommandLine, more: dict[str, str], *, has_colour: bool) -> None:
    seen = on_a_terminal(reknit, **more)
    assert "ctrl-c leaves (reknit resume r-" in seen
    assert "refused [test-removed]" in seen
    assert ("\x1b[32m" in seen) is has_colour


def test_a_long_silence_in_a_pipe_is_broken_by_a_heartbeat(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.core.test_run_text import LIVE

    display = PlainLines()
    display.tick(LIVE)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("reknit.interfaces.cli.output.lines.HEARTBEAT_S", 0.0)
    display.tell(EventView(1, "r-1", time.time(), Event("gate", "ok", "gate", "text")))
    display.tick(LIVE)
    assert capsys.readouterr().err.endswith("r-1 still at finish\n")
