"""A check is started once for a stop, and only for the window it belongs to."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.bounded.in_process import TimeLimitError
from reknit.adapters.hook import HookFiles
from reknit.app.hook import start_check
from reknit.app.hook.arm import arm
from reknit.app.hook.start_check import check_again, ensure_check
from reknit.app.installation import Installation
from reknit.core.errors import UsageError
from reknit.core.hook.marker import HookAnswer, Notified
from reknit.core.hook.mode import CheckResult, CheckVerdict
from reknit.store.database import open_store
from reknit.store.fix_modes import SqlFixModes
from reknit.store.runs.reader import RunReader
from tests.tools.recorded_runs import make_place


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(start_check, "start_worker", lambda _place: None)
    return make_place(tmp_path)


def test_the_first_window_claims_it_and_others_have_nothing_to_check(installation: Installation, shop: Path) -> None:
    arm(installation, shop, "BUG-001", "tests/test_pricing.py")
    marker, is_new = ensure_check(installation, str(shop), "w1")
    assert is_new
    assert marker is not None
    assert (marker.status, marker.bug_id, bool(marker.check)) == ("in_progress", "BUG-001", True)
    assert ensure_check(installation, str(shop), "w2") == (None, False)


@pytest.mark.parametrize(("served_until", "workers"), [(0.0, 2), (math.inf, 0)], ids=["no more", "still"])
def test_a_worker_that_still_looks_for_runs_is_the_only_one(
    installation: Installation, shop: Path, monkeypatch: pytest.MonkeyPatch, served_until: float, workers: int
) -> None:
    started: list[Installation] = []
    monkeypatch.setattr(start_check, "start_worker", started.append)
    arm(installation, shop, "BUG-001", "tests/test_pricing.py")
    for is_new in (True, False):
        assert ensure_check(installation, str(shop), "w1", Notified(), served_until)[1] == is_new
    assert len(started) == workers


@pytest.mark.parametrize("problem", [UsageError("uncommitted", "x cannot be part of the run"), TimeLimitError()])
def test_a_window_that_has_claimed_it_is_checked_at_its_next_stop_though_the_first_check_could_not_start(
    installation: Installation, shop: Path, monkeypatch: pytest.MonkeyPatch, problem: BaseException
) -> None:
    arm(installation, shop, "BUG-001", "tests/test_pricing.py")

    def fail(*_: object) -> None:
        raise problem

    with monkeypatch.context() as patched, pytest.raises(type(problem)):
        patched.setattr(start_check, "commit_uncommitted", fail)
        ensure_check(installation, str(shop), "w1")
    files = HookFiles(installation.hooks)
    marker = files.read(str(shop), "w1")
    assert marker, "its entry asks for a decision only if there is one"
    assert (marker.line, marker.check, files.read(str(shop), "")) == ("in_progress", "", None)
    assert ensure_check(installation, str(shop), "w1")[1]


def test_a_check_under_way_is_not_started_again_and_one_that_was_never_queued_is(
    installation: Installation, shop: Path
) -> None:
    mode = arm(installation, shop, "BUG-001", "tests/test_pricing.py", owner="w1").mode
    (first, _), (again, is_new) = (
        ensure_check(installation, str(shop), "w1"),
        ensure_check(installation, str(shop), "w1"),
    )
    assert not is_new
    assert first is not None
    assert again is not None
    assert first.check == again.check
    database = open_store(installation.database)
    SqlFixModes(database).change(mode.id, lambda known: replace(known, check="r-lost"))
    anew, _ = ensure_check(installation, str(shop), "w1")
    assert anew is not None
    assert anew.check not in ("r-lost", first.check)
    run = RunReader(database).run(anew.check)
    assert (run.kind, run.base) == ("hook check", mode.base)
    task = run.spec["task"]
    assert isinstance(task, dict)
    assert (task["bug"], task["mode"]) == ("BUG-001", mode.id)


@pytest.mark.parametrize("verdict", ["passed", "failed"])
def test_a_result_is_measured_again_only_if_the_tree_is_another_by_now(
    installation: Installation, shop: Path, verdict: CheckVerdict
) -> None:
    mode = arm(installation, shop, "BUG-001", "tests/test_pricing.py", owner="w1").mode
    (shop / "new.py").write_text("first = 1\n")
    first, _ = ensure_check(installation, str(shop), "w1")
    assert first
    modes, files = SqlFixModes(open_store(installation.database)), HookFiles(installation.hooks)
    settled = modes.settle(mode.id, first.check, CheckResult(verdict, "1 test"))
    files.publish(settled, HookAnswer(block=verdict == "failed", text="told"), first.check)
    same = check_again(installation, str(shop), "w1", first.check)
    assert same
    assert (same.status, same.has_counted, same.answer and same.answer.text) == (settled.bug.status, True, "told")
    (shop / "new.py").write_text("second = 2\n")
    other = check_again(installation, str(shop), "w1", first.check)
    assert other
    assert (other.status, other.answer, other.check in ("", first.check)) == ("in_progress", None, False)
    [now] = modes.list_modes(str(shop))
    assert (now.check, now.bug.attempt, now.bug.history) == (other.check, 1, ())
    assert RunReader(open_store(installation.database)).is_open(other.check)
    assert check_again(installation, str(shop), "w9", first.check) is None


@pytest.mark.parametrize("verdict", ["failed", "passed"])
def test_a_result_that_comes_in_while_the_window_asks_is_told_before_anything_new_is_started(
    installation: Installation, shop: Path, verdict: CheckVerdict
) -> None:
    mode = arm(installation, shop, "BUG-001", "tests/test_pricing.py", owner="w1").mode
    first, _ = ensure_check(installation, str(shop), "w1")
    assert first
    modes, files = SqlFixModes(open_store(installation.database)), HookFiles(installation.hooks)
    settled = modes.settle(mode.id, first.check, CheckResult(verdict, "seen"))
    assert ensure_check(installation, str(shop), "w1") == (first, False), "its marker is about to be written"
    files.publish(settled, HookAnswer(block=verdict == "failed", text="told"), first.check)
    news, is_new = ensure_check(installation, str(shop), "w1")
    assert news
    assert (news.answered, news.answer and news.answer.text, is_new) == (first.check, "told", False)
    _, is_new = ensure_check(installation, str(shop), "w1", Notified(first.check))
    assert is_new == settled.is_open
