"""A check is started once for a stop, and only for the window it belongs to."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.hook import start_check
from reknit.app.hook.arm import arm
from reknit.app.hook.start_check import ensure_check
from reknit.app.installation import Installation
from reknit.store.database import open_store
from reknit.store.fix_modes import SqlFixModes
from reknit.store.runs.reader import RunReader
from tests.tools.recorded_runs import make_place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(start_check, "start_worker", lambda _place: None)
    return make_place(tmp_path)


def test_the_first_window_claims_it_and_others_have_nothing_to_check(place: Installation, shop: Path) -> None:
    arm(place, shop, "BUG-001", "tests/test_pricing.py")
    marker = ensure_check(place, str(shop), "w1")
    assert marker is not None
    assert (marker.status, marker.bug_id, bool(marker.check)) == ("in_progress", "BUG-001", True)
    assert ensure_check(place, str(shop), "w2") is None


def test_a_check_under_way_is_not_started_again_and_one_that_was_never_queued_is(
    place: Installation, shop: Path
) -> None:
    mode = arm(place, shop, "BUG-001", "tests/test_pricing.py", owner="w1")
    first, again = ensure_check(place, str(shop), "w1"), ensure_check(place, str(shop), "w1")
    assert first is not None
    assert again is not None
    assert first.check == again.check
    database = open_store(place.database)
    SqlFixModes(database).change(mode.id, lambda known: replace(known, check="r-lost"))
    anew = ensure_check(place, str(shop), "w1")
    assert anew is not None
    assert anew.check not in ("r-lost", first.check)
    run = RunReader(database).run(anew.check)
    assert (run.kind, run.base, run.spec["bug"]) == ("hook check", mode.base, "BUG-001")
    assert run.spec["hook"]["mode"] == mode.id  # type: ignore[index]
