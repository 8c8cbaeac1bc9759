"""The end of a check settles the bug before the run ends, and a cancelled check uses up no attempt."""

import asyncio
import json
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.git.landing import commit_all
from reknit.core.hook.check import UNCHANGED
from reknit.core.hook.marker import HookAnswer
from reknit.core.hook.mode import CheckResult, FixMode, start_bug
from reknit.core.hook.task import HookCheck
from reknit.core.runs.ending import Ending
from reknit.store.fix_modes import SqlFixModes
from reknit.workflows.hook_check import cancel, conclude
from reknit.workflows.runtime.services import install
from tests.tools.command_line import CommandLine
from tests.tools.step_services import step_services


def test_a_cancelled_check_is_no_attempt(tmp_path: Path, shop: Path) -> None:
    with step_services(tmp_path, shop) as (services, spec):
        modes = services.fix_modes
        assert isinstance(modes, SqlFixModes)
        modes.add(FixMode("r-m", str(shop), spec.base, start_bug("BUG-001", "t.py", 3), 1.0, "w1", spec.run_id), "")
        order = replace(spec, task=HookCheck(("t.py",), "BUG-001", "r-m", 1, spec.base))
        asyncio.run(cancel(services, order, Ending("CANCELLED", "by a person")))
        [mode] = modes.list_modes(str(shop))
        assert (mode.check, mode.bug.attempt, mode.bug.last_error) == ("", 1, "by a person")
        assert modes.settle("r-m", spec.run_id, CheckResult("failed", "late")) == mode


@dataclass(frozen=True)
class Publications:
    """What the window was told, and if the tree of the tests was still there."""

    tree: Path
    told: list[bool] = field(default_factory=list)

    def publish(self, _mode: FixMode, _answer: HookAnswer | None = None, _run_id: str = "") -> None:
        self.told.append(self.tree.exists())


def test_the_window_is_told_before_the_tree_is_removed(tmp_path: Path, shop: Path) -> None:
    with step_services(tmp_path, shop) as (services, spec):
        mode = FixMode("r-m", str(shop), spec.base, start_bug("BUG-001", "t.py", 3), 1.0, "w1", spec.run_id)
        assert isinstance(services.fix_modes, SqlFixModes)
        services.fix_modes.add(mode, "")
        order = replace(spec, task=HookCheck(("t.py",), "BUG-001", "r-m", 1, spec.base))
        files = Publications(Path(services.workspace(order).folder(order.run_id)))
        install(replace(services, fix_mode_files=files))
        asyncio.run(conclude(order, CheckResult("passed", "1 test passed")))
        assert (files.told, files.tree.exists()) == ([True], False)


WRONG, RIGHT = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
LIMIT_S = "240"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "calculatör 1"
    (root / "tests").mkdir(parents=True)
    (root / ".claude").mkdir()
    (root / "calc.py").write_text(WRONG)
    (root / "tests" / "test_calc.py").write_text(TEST)
    (root / ".reknit" / "strategies").mkdir(parents=True)
    (root / ".reknit" / "strategies" / "2.md").write_text("Compare with the calculator of last year.\n")
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    commit_all(str(root), "first")
    return root


def stop(reknit: CommandLine, repository: Path, window: str = "w1", *, active: bool = False) -> tuple[int, str]:
    """As the entry of the hook becomes it."""
    words = ["--session", window, "--folder", str(repository), "--limit", LIMIT_S, *(["--active"] if active else [])]
    answer = reknit.run("hook", "decide", *words, cwd=repository)
    assert answer.out == ""
    return answer.exit_code, answer.err


def state(reknit: CommandLine, repository: Path) -> dict[str, Any]:
    [bug] = reknit.run("hook", "status", "--all", "--format", "json", cwd=repository).ending["bugs"]
    found: dict[str, Any] = bug
    return found


def test_red_then_a_rewritten_test_then_fixed(reknit: CommandLine, repository: Path) -> None:
    (repository / "notes.txt").write_text("the user's own, before fix mode\n")
    armed = reknit.run("hook", "arm", "BUG-001", "tests/test_calc.py", cwd=repository)
    assert armed.out.startswith("BUG-001 is armed: tests/test_calc.py, at most 3 attempts\n")
    code, text = stop(reknit, repository)
    assert code == 2
    assert text.startswith("RETRY: BUG-001 - Attempt 2 of 3\nStrategy: web_search\n\n")
    assert "\n\nCompare with the calculator of last year.\n\nTest output:\n" in text
    assert "assert -1 == 3" in text
    listed, every = (reknit.run("runs", *words, cwd=repository) for words in ((), ("--all",)))
    assert (listed.out, "--all" in listed.err, "hook check" in every.out) == ("", True, True)
    (repository / "tests" / "test_calc.py").write_text(TEST.replace("== 3", "== -1"))
    code, text = stop(reknit, repository, active=True)
    assert code == 2
    assert text.startswith("RETRY: BUG-001 - Attempt 3 of 3\nStrategy: deep_investigation\n")
    assert "\n\nYour change was refused:\nprotected-test: " in text
    (repository / "tests" / "test_calc.py").write_text(TEST)
    (repository / "calc.py").write_text(RIGHT)
    assert stop(reknit, repository, active=True) == (0, "SUCCESS: BUG-001 fixed on attempt 3\n")
    bug = state(reknit, repository)
    assert (bug["status"], bug["owner"], [each["attempt"] for each in bug["history"]]) == ("FIXED", "w1", [1, 2, 3])
    assert json.loads((repository / ".claude/fix-state.json").read_text())["status"] == "FIXED"


def test_after_the_last_attempt_the_bug_is_deferred_and_other_windows_are_never_sent_back(
    reknit: CommandLine, repository: Path
) -> None:
    assert reknit.run("hook", "arm", "BUG-001", "tests/test_calc.py", "--session", "w1", cwd=repository).exit_code == 0
    assert stop(reknit, repository, "w2") == (0, "")
    answers = [stop(reknit, repository, active=number > 0) for number in range(3)]
    assert [code for code, _ in answers] == [2, 2, 0]
    assert answers[-1][1] == "DEFERRED: BUG-001 after 3 attempts\n"
    assert stop(reknit, repository) == (0, "")
    assert "nothing is armed here" in reknit.run("hook", "disarm", cwd=repository).err


def test_a_test_that_was_green_from_the_start_is_not_called_fixed_without_a_word(
    reknit: CommandLine, repository: Path
) -> None:
    (repository / "calc.py").write_text(RIGHT)
    reknit.run("hook", "arm", "BUG-001", "tests/test_calc.py", cwd=repository)
    assert stop(reknit, repository) == (0, f"SUCCESS: BUG-001 fixed on attempt 1\n{UNCHANGED}\n")
