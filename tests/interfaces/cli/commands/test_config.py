"""`reknit config` and `reknit init`."""

import json
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.core.runs.event import Event
from reknit.core.runs.view import EventView
from reknit.interfaces.cli.output.lines import PlainLines
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]


def test_the_effective_configuration_is_shown_whole(here: Here, shop: Path) -> None:
    shown = json.loads(here("config", "show", cwd=shop).out)
    assert (shown["fixer"], shown["loop"]["attempts"], shown["box"]) == ("scripted", 3, "bubblewrap")


def test_a_configuration_is_validated_with_file_and_line(here: Here, shop: Path) -> None:
    assert here("config", "validate", cwd=shop) == Answer(0, "the configuration is valid\n", "")
    (shop / "reknit.toml").write_text("[loop]\nattempts = 0\n")
    wrong = here("config", "validate", cwd=shop)
    assert wrong.exit_code == 2
    assert "  --> reknit.toml:2\n" in wrong.err


def test_what_a_run_would_refuse_is_not_valid(here: Here, shop: Path) -> None:
    (shop / "reknit.toml").write_text('[checks.tests]\nrun = "make | tee log"\nreport = "../x.xml"\n')
    wrong = here("config", "validate", cwd=shop)
    assert (wrong.exit_code, "reknit.toml:2: checks.tests.run: runs without a shell" in wrong.err) == (2, True)
    assert "reknit.toml:3: checks.tests.report: must name files below the repository" in wrong.err


@pytest.mark.parametrize(
    ("folders", "said"),
    [
        (["nowhere"], "projects: git tracks no files in the folder 'nowhere'"),
        (["shop"], "projects: no tests were found in 'shop'"),
        (["tests", "tests"], "projects: the folder 'tests' is listed twice"),
    ],
)
def test_projects_that_a_run_would_refuse(here: Here, shop: Path, folders: list[str], said: str) -> None:
    (shop / "reknit.toml").write_text("".join(f'[[projects]]\nfolder = "{folder}"\n' for folder in folders))
    wrong = here("config", "validate", cwd=shop)
    assert (wrong.exit_code, said in wrong.err) == (2, True)


def test_the_files_of_projects_are_validated_too(here: Here, shop: Path) -> None:
    for name in ("back", "front"):
        (shop / name).mkdir()
        (shop / name / "reknit.toml").write_text('[checks.tests]\nrun = "make > log"\n')
    wrong = here("config", "validate", cwd=shop)
    assert wrong.exit_code == 2
    assert all(
        f"{name}/reknit.toml:2: checks.tests.run: runs without a shell" in wrong.err for name in ("back", "front")
    )


def test_editors_get_a_schema(here: Here, shop: Path) -> None:
    schema = json.loads(here("config", "schema", cwd=shop).out)
    assert set(schema["properties"]) >= {"fixer", "box", "loop", "checks", "workspace", "agents"}


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
    assert answer.out.startswith("DEFERRED  0 of 1   3 attempts")
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
    """Start the command with a terminal as stderr, and return what appeared on it."""
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
    monkeypatch.setattr("reknit.interfaces.cli.output.lines.LOOK_EVERY_S", 0.0)
    display.tell(EventView(1, "r-1", time.time(), Event("gate", "ok", "gate", "text")))
    display.tick(LIVE)
    assert capsys.readouterr().err.endswith("r-1 still at ends, $0.50 spent\n")
