"""The doctor tries the real channels."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters.git.demo_commit import commit_all
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


def test_the_tests_are_compared_inside_and_outside_the_box(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    reknit.tell_story({})
    same = here("doctor", "--compare", cwd=shop)
    assert (same.exit_code, "the same 3 test id(s) in the box and outside" in same.out) == (0, True)
    secret = tmp_path / "only-outside"
    secret.touch()
    only = f"from pathlib import Path\nif Path({str(secret)!r}).exists():\n"
    lost = "    import unittest\n    class LostTest(unittest.TestCase):\n        def test_lost(self): pass\n"
    (shop / "tests" / "test_lost.py").write_text(only + lost)
    commit_all(str(shop), "a test that the box does not see")
    differs = here("doctor", "--compare", cwd=shop)
    assert (differs.exit_code, "1 test(s) are missing in the box" in differs.out) == (5, True)


def test_a_key_that_is_missing_is_named(here: Here, reknit: CommandLine, shop: Path, tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\necho 1.0.0\n")
    program.chmod(0o755)
    (shop / "reknit.toml").write_text('[checks.tests]\nrun = "python3 run_tests.py x"\n')
    reknit.configure(fixer="claude", agents={"claude": {"binary": str(program), "key_env": "NO_SUCH_KEY"}})
    answer = here("doctor", cwd=shop)
    assert answer.exit_code == 4
    assert "NO_SUCH_KEY" in answer.out


def test_outside_a_repository_it_looks_at_the_rest(here: Here, tmp_path: Path) -> None:
    answer = here("doctor", cwd=tmp_path)
    assert answer.exit_code == 0
    assert "  warn  here" in answer.out
    assert "fix: go to a folder inside a git working tree" in answer.out


def test_a_login_in_the_clis_own_files_is_called_the_weaker_way(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho 2.1.0\n")
    program.chmod(0o755)
    login = Path(reknit.environment["HOME"], ".claude/.credentials.json")
    login.parent.mkdir(parents=True)
    login.write_text('{"claudeAiOauth": {"accessToken": "sk-canary"}}')
    reknit.configure(fallback=["claude"], agents={"claude": {"binary": str(program)}, "scripted": {"story": "[{}]"}})
    answer = here("doctor", "--format", "json", cwd=shop)
    (warned,) = [line for line in answer.ending["parts"] if line["mark"] == "warn"]
    assert "weaker than a key" in warned["text"]
    assert "sk-canary" not in answer.out
