"""The slot is the executor's name, and is read back from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.runs.slot import POOL, Slot, parse_executor_id, parse_queue_name


@given(st.integers(0, 10_000))
def test_a_slot_is_read_back_from_its_executor_id(number: int) -> None:
    assert parse_executor_id(Slot(POOL, number, "owner").executor_id) == number


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
    assert parse_executor_id(executor_id) is None


def test_a_slot_has_a_queue_of_its_own() -> None:
    assert parse_queue_name(Slot(POOL, 3, "me").queue) == 3
    assert [parse_queue_name(name) for name in (None, "runs", "slot-", "myslot-3")] == [None] * 4
