"""Tests that outlast the limit of the hook, and tests that never end: every stop is answered in time and in truth."""

import os
import re
import subprocess
import threading
import time
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from tests.tools.command_line import CommandLine
from tests.tools.stop_hook import stop_window

FULL = "REKNIT_FULL" in os.environ
"""A test of 300 s under the limit of 120 s, instead of one that ends when it was said twice that it runs."""
LIMIT_S, TEST_S = (120, 300.0) if FULL else (10, 0.0)
WRONG, RIGHT = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
WAITS = """\
import pathlib
import time

from calc import add


def test_add():
    while not pathlib.Path({ready!r}).exists():
        time.sleep(0.1)
    assert add(1, 2) == 3
"""
_NOT_STARTED = re.compile(
    r"NOT CHECKED: the check could not be started within [\d.]+ s; no attempt was used, the next stop tries again\n"
)


class Window:
    """In a repository whose test ends once `ready` exists."""

    def __init__(self, reknit: CommandLine, root: Path, ready: Path) -> None:
        self.reknit, self.root, self.ready = reknit, root, ready
        self.answers: list[tuple[int, str, float]] = []

    def arm(self, bug: str) -> None:
        armed = self.reknit.run("hook", "arm", bug, "test_calc.py", "--session", "w1", cwd=self.root)
        assert armed.out.startswith(f"{bug} is armed"), armed

    def stop(self) -> tuple[int, str]:
        """Again, as it then says, where the machine is too busy to start the check in time."""
        answers = (self._stop_once() for _ in range(8))
        return next(answer for answer in answers if not _NOT_STARTED.fullmatch(answer[1]))

    def _stop_once(self) -> tuple[int, str]:
        began = time.monotonic()
        active = bool(self.answers) and self.answers[-1][0] == 2
        code, text = stop_window(self.reknit.environment, self.root, "w1", limit_s=LIMIT_S, active=active)
        self.answers.append((code, text, time.monotonic() - began))
        return code, text

    def stop_until_told(self) -> tuple[int, str]:
        """The first answer that is not that the test still runs."""
        answers = (self.stop() for _ in range(8))
        return next(answer for answer in answers if not is_running(answer))

    @property
    def slowest_s(self) -> float:
        return max(seconds for _, _, seconds in self.answers)

    def state(self) -> tuple[str, int, str]:
        bug, *_ = self.reknit.run("hook", "status", "--all", "--format", "json", cwd=self.root).ending["bugs"]
        return bug["status"], bug["attempt"], bug["check"]


@pytest.fixture
def window(reknit: CommandLine, tmp_path: Path) -> Window:
    root, events = tmp_path / "calculator", tmp_path / "events"
    root.mkdir()
    events.mkdir()
    reknit.configure(loop={"attempts": 2, "test_wall_s": 900}, workspace={"show": [str(events)]})
    (root / "calc.py").write_text(WRONG)
    (root / "test_calc.py").write_text(WAITS.format(ready=str(events / "ready")))
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n')
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    commit_all(str(root), "first")
    return Window(reknit, root, events / "ready")


def is_running(answer: tuple[int, str], bug: str = "BUG-001") -> bool:
    code, text = answer
    said = re.fullmatch(
        rf"RUNNING: {bug} - the test is still running, started \d\d:\d\d\. .* `reknit watch r-\w+`\.\n", text
    )
    return code == 2 and bool(said)


@pytest.mark.timeout(900)
def test_a_test_that_outlasts_the_limit_is_answered_in_time_and_settled_at_its_end(window: Window) -> None:
    window.arm("BUG-001")
    (window.root / "calc.py").write_text(RIGHT)
    threading.Timer(TEST_S, window.ready.touch).start() if FULL else None
    answers = [window.stop(), window.stop()]
    assert all(map(is_running, answers)), answers
    if not FULL:
        window.ready.touch()
    assert window.stop_until_told() == (0, "SUCCESS: BUG-001 fixed on attempt 1\n")
    assert window.stop() == (0, "")
    print(f"\nlimit {LIMIT_S} s, {len(window.answers)} stops, the slowest was answered after {window.slowest_s:.1f} s")
    assert window.slowest_s < LIMIT_S


def test_a_window_that_is_closed_while_its_test_runs_leaves_a_settled_bug(window: Window) -> None:
    window.arm("BUG-001")
    assert is_running(window.stop())
    status, attempt, run = window.state()
    assert (status, attempt, bool(run)) == ("in_progress", 1, True)
    window.ready.touch()
    assert window.reknit.run("watch", run, cwd=window.root).exit_code == 1
    assert window.state() == ("in_progress", 2, "")
    code, text = window.stop()
    assert (code, text.startswith("RETRY: BUG-001 - Attempt 2 of 2\n")) == (2, True), text
    assert "assert -1 == 3" in text


def test_what_changed_while_the_test_ran_is_tested_too(window: Window) -> None:
    window.arm("BUG-001")
    (window.root / "calc.py").write_text(RIGHT)
    assert is_running(window.stop())
    run = window.state()[2]
    (window.root / "calc.py").write_text(WRONG.replace("-", "*"))
    window.ready.touch()
    assert window.reknit.run("watch", run, cwd=window.root).exit_code == 0
    code, text = window.stop_until_told()
    assert (code, text.startswith("RETRY: BUG-001 - Attempt 2 of 2\n")) == (2, True), text
    assert "assert 2 == 3" in text


def test_a_test_that_never_ends_is_deferred_after_its_limit(window: Window) -> None:
    window.reknit.configure(loop={"attempts": 2, "test_wall_s": 3}, workspace={"show": [str(window.ready.parent)]})
    window.arm("BUG-001")
    answers = [window.stop_until_told(), window.stop_until_told()]
    assert [code for code, _ in answers] == [2, 0]
    assert answers[0][1].startswith("RETRY: BUG-001 - Attempt 2 of 2\n")
    assert answers[1][1] == "DEFERRED: BUG-001 after 2 attempts\n"
    assert "took too long and was stopped" in answers[0][1]
    assert window.slowest_s < LIMIT_S
    assert window.stop() == (0, "")
