"""The slot is the executor's name, and is read back from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.runs.slot import POOL, Slot, number_of_queue, slot_number


@given(st.integers(0, 10_000))
def test_a_slot_is_read_back_from_its_executor_id(number: int) -> None:
    assert slot_number(Slot(POOL, number, "owner").executor_id) == number


@pytest.mark.parametrize(
    "executor_id",
    [
        pytest.param(None, id="nobody had it"),
        pytest.param("local", id="a name that is no slot"),
        pytest.param("checkpoints-0/slot-1", id="a slot of another pool"),
        pytest.param(f"{POOL}/slot-x", id="a slot without a number"),
    ],
)
def test_a_foreign_name_is_no_slot_of_ours(executor_id: str | None) -> None:
    assert slot_number(executor_id) is None


def test_a_slot_has_a_queue_of_its_own() -> None:
    assert number_of_queue(Slot(POOL, 3, "me").queue) == 3
    assert [number_of_queue(name) for name in (None, "runs", "slot-", "myslot-3")] == [None] * 4
