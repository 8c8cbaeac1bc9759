"""Fix mode begins, changes its window or ends."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from reknit.adapters.hook import HookFiles
from reknit.app.demo import make_repository
from reknit.app.hook import start_check
from reknit.app.hook.arm import arm, disarm, list_fix_modes
from reknit.app.hook.start_check import ensure_check
from reknit.app.installation import Installation
from reknit.core.errors import UsageError
from reknit.core.runs.ending import Ending
from reknit.store.database import open_store
from reknit.store.fix_modes import SqlFixModes
from reknit.store.runs.reader import RunReader
from tests.adapters.git.users_git import git
from tests.tools.recorded_runs import make_place, open_ledger

TEST = "tests/test_pricing.py"


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return make_place(tmp_path)


def test_what_is_uncommitted_when_it_begins_is_the_users(installation: Installation, shop: Path) -> None:
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=shop, check=True, capture_output=True, text=True).stdout
    clean = arm(installation, shop, "BUG-001", TEST).mode
    (shop / "notes.txt").write_text("mine\n")
    dirty = arm(installation, shop / "tests", "BUG-001", "test_pricing.py").mode
    assert (clean.base, dirty.base != clean.base) == (head.strip(), True)
    assert (dirty.bug.test_path, dirty.bug.attempt, dirty.repository) == (TEST, 1, str(shop))
    assert [mode.id for mode in list_fix_modes(installation, shop) if mode.is_open] == [dirty.id]


def test_the_bug_of_another_window_is_taken_over_only_when_asked(installation: Installation, shop: Path) -> None:
    files = HookFiles(installation.hooks)
    arm(installation, shop, "BUG-001", TEST, owner="w1")
    other = arm(installation, shop, "BUG-002", TEST, owner="w2").mode
    with pytest.raises(UsageError) as caught:
        arm(installation, shop, "BUG-001", TEST, owner="w2")
    assert caught.value.name == "another-window"
    assert [bool(files.read(str(shop), window)) for window in ("w1", "w2")] == [True, True]
    taken = arm(installation, shop, "BUG-001", TEST, owner="w3", steal=True).mode
    assert {mode.id for mode in list_fix_modes(installation, shop) if mode.is_open} == {other.id, taken.id}
    assert [bool(files.read(str(shop), window)) for window in ("w1", "w2", "w3")] == [False, True, True]


def test_disarming_ends_one_or_all(installation: Installation, shop: Path) -> None:
    arm(installation, shop, "BUG-001", TEST, owner="w1")
    arm(installation, shop, "BUG-002", TEST, owner="w2")
    assert [mode.bug.bug_id for mode in disarm(installation, shop, "BUG-002")] == ["BUG-002"]
    assert [mode.bug.bug_id for mode in disarm(installation, shop)] == ["BUG-001"]
    assert disarm(installation, shop) == []
    assert {(mode.bug.status, mode.bug.last_error) for mode in list_fix_modes(installation, shop)} == {
        ("DEFERRED", "ended by a person")
    }
    assert not any(installation.hooks.iterdir())


def test_a_window_whose_bug_is_settled_can_claim_the_next(installation: Installation, shop: Path) -> None:
    files = HookFiles(installation.hooks)
    arm(installation, shop, "BUG-001", TEST, owner="w1")
    (settled,) = list_fix_modes(installation, shop)
    fixed = replace(settled, bug=replace(settled.bug, status="FIXED"))
    SqlFixModes(open_store(installation.database)).change(settled.id, lambda _mode: fixed)
    files.publish(fixed)
    arm(installation, shop, "BUG-002", TEST)
    assert files.read(str(shop), "w1") is None
    assert files.read(str(shop), "") is not None


@pytest.mark.parametrize("owner", ["w1", ""])
def test_a_window_at_work_keeps_its_bug_when_another_one_begins(
    installation: Installation, shop: Path, owner: str
) -> None:
    """It may have had another bug before, which is settled."""
    arm(installation, shop, "BUG-001", TEST, owner=owner)
    disarm(installation, shop)
    arm(installation, shop, "BUG-002", TEST, owner=owner)
    arm(installation, shop, "BUG-003", TEST, owner="w2")
    markers = [HookFiles(installation.hooks).read(str(shop), window) for window in (owner, "w2")]
    assert [marker and marker.bug_id for marker in markers] == ["BUG-002", "BUG-003"]


@pytest.mark.parametrize(
    ("bug", "test", "problem"),
    [
        ("BUG-001", "tests/no.py", "no-test"),
        ("BUG-001", f"{TEST}::PricingTest::test_none", "no-test"),
        ("BUG-001", "../outside.py", "no-test"),
        ("BUG-001", "tests/", "no-test"),
        ("BUG-001", "tests::test_none", "no-test"),
        ("a b", TEST, "bug-id"),
    ],
)
def test_what_cannot_be_checked_is_not_armed(
    installation: Installation, shop: Path, bug: str, test: str, problem: str
) -> None:
    (shop.parent / "outside.py").write_text("def test_one(): ...\n")
    with pytest.raises(UsageError) as caught:
        arm(installation, shop, bug, test)
    assert caught.value.name == problem
    assert not installation.hooks.exists()


def test_a_folder_is_armed_where_it_names_tests(installation: Installation, shop: Path) -> None:
    """As `go` has it."""
    (shop / "tests" / "pricing_test.go").touch()
    assert arm(installation, shop, "BUG-001", "tests::TestTotal").mode.bug.test_path == "tests::TestTotal"


@pytest.mark.parametrize("submodule", [True, False])
def test_a_test_of_a_repository_inside_is_not_armed(
    installation: Installation, shop: Path, tmp_path: Path, *, submodule: bool
) -> None:
    inner = make_repository(tmp_path / "inner")
    if submodule:
        git(shop, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
        commit_all(str(shop), "a submodule")
    else:
        inner.rename(shop / "lib")
    for test in (f"lib/{TEST}", f"lib/{TEST}::PricingTest"):
        with pytest.raises(UsageError) as caught:
            arm(installation, shop, "BUG-001", test)
        assert (caught.value.name, str(shop / "lib") in caught.value.help) == ("inner-repository", True)
    assert not installation.hooks.exists()
    assert arm(installation, shop / "lib", "BUG-001", TEST).mode.repository == str(shop / "lib")


ENDS: dict[str, Callable[[Installation, Path], object]] = {
    "disarmed": lambda installation, shop: disarm(installation, shop),
    "the same bug again": lambda installation, shop: arm(installation, shop, "BUG-001", TEST, owner="w1"),
    "another bug": lambda installation, shop: arm(installation, shop, "BUG-002", TEST, owner="w1"),
    "taken over": lambda installation, shop: arm(installation, shop, "BUG-001", TEST, owner="w2", steal=True),
}


@pytest.fixture
def check(installation: Installation, shop: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A check of the first window that is under way."""
    monkeypatch.setattr(start_check, "start_worker", lambda _place: None)
    arm(installation, shop, "BUG-001", TEST, owner="w1")
    marker, _ = ensure_check(installation, str(shop), "w1")
    assert marker
    return marker.check


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_the_check_of_a_bug_that_is_ended_is_cancelled(
    installation: Installation, shop: Path, check: str, end: Callable[[Installation, Path], object]
) -> None:
    end(installation, shop)
    assert RunReader(open_store(installation.database)).run(check).ending == "CANCELLED"
    (ended,) = [mode for mode in list_fix_modes(installation, shop) if not mode.is_open]
    assert (ended.bug.last_error, ended.bug.attempt, ended.check) == ("ended by a person", 1, "")
    marker = HookFiles(installation.hooks).read(str(shop), "w1")
    assert not marker or (marker.status, marker.check) == ("in_progress", "")


def test_a_check_that_has_just_ended_or_was_never_queued_is_no_problem(
    installation: Installation, shop: Path, check: str
) -> None:
    open_ledger(installation).end(check, Ending("DEFERRED", "it failed"))
    (mode,) = disarm(installation, shop)
    assert mode.check == check
    lost = arm(installation, shop, "BUG-002", TEST, owner="w1").mode
    SqlFixModes(open_store(installation.database)).change(lost.id, lambda known: replace(known, check="r-lost"))
    assert [mode.bug.status for mode in disarm(installation, shop)] == ["DEFERRED"]
