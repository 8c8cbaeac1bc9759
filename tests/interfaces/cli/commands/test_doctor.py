"""The doctor tries the real channels."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]


def test_a_sound_installation_is_told_line_by_line(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    answer = here("doctor", "--probes", cwd=shop)
    assert answer.exit_code == 0
    parts = [line.split()[:2] for line in answer.out.splitlines()]
    assert {("ok", part) for part in ("git", "database", "box", "agent", "tests")} == {(a, b) for a, b in parts}
    assert len([part for part in parts if part[1] == "box"]) > 20
    assert "2 passed, 1 failed" in answer.out


@pytest.mark.parametrize(
    ("settings", "part", "code"),
    [
        pytest.param({"fixer": "claude", "agents": {"claude": {"binary": "/nowhere"}}}, "agent", 3, id="no agent"),
        pytest.param({"checks": {"tests": {"run": "no-such-program"}}}, "tests", 5, id="tests that do not run"),
        pytest.param({"loop": {"attempts": "many"}}, "here", 2, id="a setting that is wrong"),
    ],
)
def test_what_is_wrong_has_a_line_and_an_exit_code(
    here: Here, reknit: CommandLine, shop: Path, settings: dict[str, object], part: str, code: int
) -> None:
    (shop / "reknit.toml").unlink()
    commit_all(str(shop), "no file")
    known: dict[str, object] = {"fixer": "scripted", "agents": {"scripted": {"story": "[{}]"}}}
    reknit.configure(**{**known, "checks": {"tests": {"run": "python3 run_tests.py x"}}, **settings})
    answer = here("doctor", "--format", "json", cwd=shop)
    assert answer.exit_code == answer.ending["exit_code"] == code
    assert [line["part"] for line in answer.ending["parts"] if line["mark"] == "bad"] == [part]


def test_outside_a_repository_it_looks_at_the_rest(here: Here, tmp_path: Path) -> None:
    answer = here("doctor", cwd=tmp_path)
    assert answer.exit_code == 0
    assert "  warn  here" in answer.out
    assert "fix: go to a folder inside a git working tree" in answer.out
