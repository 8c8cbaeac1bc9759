"""Answers when a window stops, with a result that is at hand or one that takes too long."""

import contextlib
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.hook import HookFiles, PullWatches
from reknit.app.hook.decide import decide
from reknit.app.installation import Installation
from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.hook.marker import MAX_BLOCKS, HookAnswer, Notified
from reknit.core.hook.mode import FixMode, start_bug
from reknit.store.database import open_store
from reknit.store.fix_modes import SqlFixModes
from tests.tools.recorded_runs import make_place

RETRY = HookAnswer(block=True, text="RETRY")
SHORT_S = 0.5


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setattr("reknit.app.start.queue.start_worker", lambda _place: 0.0)
    return make_place(tmp_path)


@pytest.fixture
def mode(tmp_path: Path) -> FixMode:
    return FixMode("r-1", str(tmp_path), "a" * 40, start_bug("BUG-001", "t.py", 3), 1.0, "w1")


def test_a_result_is_told_once(installation: Installation, mode: FixMode) -> None:
    files = HookFiles(installation.hooks)
    files.publish(mode, RETRY, "r-7")
    assert decide(installation, Path(mode.repository), "w1", SHORT_S, active=True) == RETRY
    assert files.read_news_state(mode.repository, "w1") == Notified("r-7", 1)
    SqlFixModes(open_store(installation.database)).add(replace(mode, owner="w9"), "")
    assert decide(installation, Path(mode.repository), "w1", SHORT_S, active=True) == HookAnswer(block=False)


def test_the_ninth_block_in_a_row_is_never_given(installation: Installation, mode: FixMode) -> None:
    files, answers = HookFiles(installation.hooks), []
    for number in range(MAX_BLOCKS + 2):
        files.publish(mode, RETRY, f"r-{number}")
        answers.append(decide(installation, Path(mode.repository), "w1", SHORT_S, active=number > 0))
    assert [answer.block for answer in answers] == [*[True] * MAX_BLOCKS, False, True]
    assert answers[MAX_BLOCKS].text.startswith("PAUSED: BUG-001")


def test_a_window_that_was_not_sent_back_starts_to_count_again(installation: Installation, mode: FixMode) -> None:
    files = HookFiles(installation.hooks)
    files.publish(mode, RETRY, "r-7")
    files.write_news_state(mode.repository, "w1", Notified("r-6", MAX_BLOCKS))
    assert decide(installation, Path(mode.repository), "w1", SHORT_S, active=False) == RETRY


def test_what_cannot_be_asked_lets_the_window_stop_and_says_why(installation: Installation, tmp_path: Path) -> None:
    broken = replace(installation, database="sqlite:////proc/no/such.sqlite")
    answer = decide(broken, tmp_path, "w1", SHORT_S, active=False)
    assert (answer.block, answer.text.startswith("NOT CHECKED: ")) == (False, True)


def test_the_limit_is_kept_while_a_test_runs(
    installation: Installation, mode: FixMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = HookFiles(installation.hooks)
    running = replace(mode, check="r-7")

    def under_way(*_: object) -> object:
        files.publish(running)
        return files.read(mode.repository, "w1"), True

    monkeypatch.setattr("reknit.app.hook.start_check.ensure_check", under_way)
    answer = decide(installation, Path(mode.repository), "w1", SHORT_S, active=False)
    assert answer.block
    assert "still running" in answer.text
    files.publish(mode, RETRY, "r-7")
    assert decide(installation, Path(mode.repository), "w1", SHORT_S, active=True) == RETRY
    assert files.read_news_state(mode.repository, "w1") == Notified("r-7", 2)


@pytest.mark.parametrize(("quick_s", "is_compared"), [(60.0, False), (0.0, True)], ids=["at once", "after a while"])
def test_the_result_of_a_long_check_counts_only_if_the_tree_is_as_it_was(
    installation: Installation, mode: FixMode, monkeypatch: pytest.MonkeyPatch, *, quick_s: float, is_compared: bool
) -> None:
    files, compared = HookFiles(installation.hooks), []

    def checked(*_: object) -> object:
        files.publish(mode, RETRY, "r-7")
        return files.read(mode.repository, "w1"), True

    def compare(*_: object) -> object:
        compared.append(True)
        return files.read(mode.repository, "w1")

    monkeypatch.setattr("reknit.app.hook.decide.QUICK_S", quick_s)
    monkeypatch.setattr("reknit.app.hook.start_check.ensure_check", checked)
    monkeypatch.setattr("reknit.app.hook.start_check.check_again", compare)
    assert decide(installation, Path(mode.repository), "w1", SHORT_S, active=False) == RETRY
    assert compared == [True] * is_compared


@pytest.mark.parametrize("killed", [False, True])
def test_the_end_of_a_test_that_ran_on_is_told_once_and_then_the_entry_knows(
    installation: Installation, mode: FixMode, killed: bool
) -> None:
    files, text = HookFiles(installation.hooks), "DEFERRED: BUG-001 after 3 attempts"
    files.publish(replace(mode, bug=replace(mode.bug, status="DEFERRED")), HookAnswer(block=False, text=text), "r-7")
    [path] = [path for path in installation.hooks.rglob("w1") if path.is_file()]
    assert path.read_text().startswith("in_progress\n"), "the entry of the hook asks"
    if killed:  # before it could mark the marker
        files.write_news_state(mode.repository, "w1", Notified("r-7", 0))
    told = decide(installation, Path(mode.repository), "w1", SHORT_S, active=True)
    assert told == HookAnswer(block=False, text="" if killed else text)
    assert path.read_text().startswith("DEFERRED\n"), "the entry allows by itself"
    assert decide(installation, Path(mode.repository), "w1", SHORT_S, active=True) == HookAnswer(block=False)


def test_the_worker_loads_while_the_check_is_planned(
    installation: Installation, mode: FixMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[object] = []
    HookFiles(installation.hooks).publish(mode)

    def start(_place: Installation) -> float:
        order.append("worker")
        return 7.0

    def ensure(*given: object) -> tuple[None, bool]:
        order.append(given[-1])
        return None, False

    monkeypatch.setattr("reknit.app.start.queue.start_worker", start)
    monkeypatch.setattr("reknit.app.hook.start_check.ensure_check", ensure)
    decide(installation, Path(mode.repository), "w1", SHORT_S, active=False)
    assert order == ["worker", 7.0]


def test_a_test_that_still_runs_at_the_cap_is_not_called_unfixed(
    installation: Installation, mode: FixMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = HookFiles(installation.hooks)

    def under_way(*_: object) -> object:
        files.publish(replace(mode, check="r-7"))
        return files.read(mode.repository, "w1"), False

    monkeypatch.setattr("reknit.app.hook.start_check.ensure_check", under_way)
    files.publish(mode)
    files.write_news_state(mode.repository, "w1", Notified("", MAX_BLOCKS))
    answer = decide(installation, Path(mode.repository), "w1", SHORT_S, active=True)
    assert (answer.block, "not fixed" in answer.text, "still running" in answer.text) == (False, False, True)


def test_a_check_that_cannot_be_started_in_time_lets_the_window_stop_with_a_word(
    installation: Installation, mode: FixMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reknit.app.hook.decide.SHORTEST_S", 0.1)
    monkeypatch.setattr("reknit.app.hook.start_check.ensure_check", lambda *_: threading.Event().wait())
    HookFiles(installation.hooks).publish(mode)
    answer = decide(installation, Path(mode.repository), "w1", 0.1, active=False)
    assert (answer.block, answer.text.startswith("NOT CHECKED: the check could not be started")) == (False, True)


def test_a_result_at_hand_needs_neither_the_database_nor_the_loop_of_pull_requests() -> None:
    heavy = ("sqlalchemy", "reknit.store", "reknit.core.fix_pr.state")
    code = f"import sys, reknit.app.hook.decide; print([*filter(lambda name: name.startswith({heavy}), sys.modules)])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def _broken(installation: Installation, _monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(installation.database).dispose()
    with contextlib.closing(sqlite3.connect(installation.database.removeprefix("sqlite:///"))) as database:
        database.execute("DROP TABLE runs")


def _silent(_place: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reknit.app.hook.decide.LEAST_S", 0.1)
    monkeypatch.setattr("reknit.app.hook.window_pulls.open_store", lambda _: threading.Event().wait())


@pytest.mark.parametrize("database", [_broken, _silent], ids=["broken", "silent"])
def test_the_end_of_a_test_is_told_though_the_run_of_the_pull_request_cannot_be_read(
    installation: Installation,
    mode: FixMode,
    monkeypatch: pytest.MonkeyPatch,
    database: Callable[[Installation, pytest.MonkeyPatch], None],
) -> None:
    text = "DEFERRED: BUG-001 after 3 attempts"
    ended = replace(mode, bug=replace(mode.bug, status="DEFERRED"))
    HookFiles(installation.hooks).publish(ended, HookAnswer(block=False, text=text), "r-7")
    PullWatches(installation.hooks).put(mode.repository, "w1", PullWatch("r-1"))
    database(installation, monkeypatch)
    answer = decide(installation, Path(mode.repository), "w1", SHORT_S, active=False)
    first, second = answer.text.splitlines()
    assert (answer.block, first) == (False, text)
    assert second.startswith("the pull request's run could not be read: ")
    assert PullWatches(installation.hooks).read(mode.repository, "w1"), "the next stop tries again"
