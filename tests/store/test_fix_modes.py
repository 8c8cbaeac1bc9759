"""The bugs that windows work on."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import sqlalchemy as sa

from reknit.core.errors import UsageError
from reknit.core.hook.mode import CheckResult, FixMode, start_bug
from reknit.store.fix_modes import SqlFixModes

MODE = FixMode("r-1", "/shop", "a" * 40, start_bug("BUG-001", "tests/test_a.py", 3), 1.0, "w1", "r-7")
RED = CheckResult("failed", "it failed")


def test_those_of_a_repository_newest_first_and_only_the_open_ones(store: sa.Engine) -> None:
    modes = SqlFixModes(store)
    later, elsewhere = replace(MODE, id="r-2", armed_at=2.0), replace(MODE, id="r-3", repository="/other")
    for mode in (MODE, later, elsewhere, MODE):
        modes.add(mode, f"spec of {mode.id}")
    assert modes.list_modes("/shop") == [later, MODE]
    modes.change("r-2", lambda mode: replace(mode, bug=replace(mode.bug, status="DEFERRED")))
    assert [mode.id for mode in modes.list_modes("/shop")] == ["r-1"]
    assert [mode.id for mode in modes.list_modes("/shop", only_open=False)] == ["r-2", "r-1"]
    assert (modes.spec("r-1"), modes.spec("r-9")) == ("spec of r-1", "")


def test_a_result_counts_once_however_often_it_is_given(store: sa.Engine) -> None:
    modes = SqlFixModes(store)
    modes.add(MODE, "")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: modes.settle("r-1", "r-7", RED), range(8)))
    [mode] = modes.list_modes("/shop")
    assert (mode.bug.attempt, mode.check, len(mode.bug.history)) == (2, "", 1)


def test_a_window_claims_it_once(store: sa.Engine) -> None:
    modes = SqlFixModes(store)
    modes.add(replace(MODE, owner=""), "")

    def claim(window: str) -> str:
        return modes.change("r-1", lambda mode: mode if mode.owner else replace(mode, owner=window)).owner

    with ThreadPoolExecutor(4) as pool:
        owners = set(pool.map(claim, [f"w{number}" for number in range(8)]))
    assert len(owners) == 1


def test_one_that_is_not_there_cannot_be_changed(store: sa.Engine) -> None:
    with pytest.raises(UsageError) as caught:
        SqlFixModes(store).settle("r-9", "r-7", RED)
    assert caught.value.name == "no-fix-mode"
