"""Slot leases in a table: never one slot twice, never an expired lease revived, the dead workers' slots first."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from reknit.core.runs.slot import Slot
from reknit.store import tables
from reknit.store.runs.slot_leases import TableSlots

CLAIMANTS = 4
RACES = 100


@pytest.fixture
def slots(store: sa.Engine) -> TableSlots:
    return TableSlots(store, "pool", lease_s=600.0)


def expire(slots: TableSlots, slot: Slot) -> None:
    """What time would do."""
    with slots.engine.begin() as db:
        db.execute(sa.update(tables.slots).where(tables.slots.c.number == slot.number).values(expires_at=1.0))


def claimed(slots: TableSlots) -> Slot:
    slot = slots.claim()
    assert slot is not None
    return slot


def test_racing_claimants_never_get_one_slot_twice(store: sa.Engine) -> None:
    start = threading.Barrier(CLAIMANTS)

    def claim(race: int) -> Slot | None:
        racer = TableSlots(store, f"race-{race}", lease_s=600.0)
        start.wait()
        return racer.claim()

    with ThreadPoolExecutor(CLAIMANTS) as racers:
        for race in range(RACES):
            won = list(racers.map(claim, [race] * CLAIMANTS))
            assert sorted(slot.number for slot in won if slot) == list(range(CLAIMANTS))


def test_racing_claimants_of_one_dead_workers_slot_get_it_once(store: sa.Engine) -> None:
    start = threading.Barrier(CLAIMANTS)
    slots = TableSlots(store, "pool", lease_s=600.0)

    def claim(_number: int) -> Slot | None:
        start.wait()
        return slots.claim("dirty")

    slot = claimed(slots)
    with ThreadPoolExecutor(CLAIMANTS) as racers:
        for _ in range(10):
            expire(slots, slot)
            assert len([won for won in racers.map(claim, range(CLAIMANTS)) if won]) == 1


def test_new_numbers_are_the_lowest_that_are_free(slots: TableSlots) -> None:
    first, second = claimed(slots), claimed(slots)
    assert (first.number, second.number) == (0, 1)
    slots.release(first)
    assert claimed(slots).number == 0


def test_a_dead_workers_slot_comes_first(slots: TableSlots) -> None:
    clean, dead, alive = claimed(slots), claimed(slots), claimed(slots)
    slots.release(clean)
    expire(slots, dead)
    assert slots.dirty() == [dead.number]
    taken = claimed(slots)
    assert (taken.number, slots.dirty()) == (dead.number, [])
    assert taken.owner != dead.owner
    assert alive.number not in {taken.number, clean.number}


@pytest.mark.parametrize(
    ("wanted", "number", "expected"),
    [
        pytest.param("clean", None, 1, id="a clean one passes the dead worker's by"),
        pytest.param("dirty", None, 0, id="a dirty one is the dead worker's"),
        pytest.param("clean", 0, 0, id="by number whatever it is"),
        pytest.param("any", 2, None, id="by number, but its holder lives"),
        pytest.param("any", 7, None, id="by a number that is not there"),
    ],
)
def test_what_is_asked_for_is_given(slots: TableSlots, wanted: str, number: int | None, expected: int | None) -> None:
    dead, clean, _alive = claimed(slots), claimed(slots), claimed(slots)
    slots.release(clean)
    expire(slots, dead)
    slot = slots.claim(wanted, number=number)  # type: ignore[arg-type]
    assert (slot.number if slot else None) == expected


def test_there_is_no_dirty_slot_where_nobody_died(slots: TableSlots) -> None:
    slots.release(claimed(slots))
    claimed(slots)
    assert slots.claim("dirty") is None
    assert slots.dirty() == []


def test_an_expired_lease_is_never_revived(slots: TableSlots) -> None:
    slot = claimed(slots)
    assert slots.renew(slot)
    expire(slots, slot)
    assert not slots.renew(slot)
    assert slots.dirty() == [slot.number]


def test_who_lost_a_slot_can_neither_renew_nor_release_it(slots: TableSlots) -> None:
    old = claimed(slots)
    expire(slots, old)
    new = claimed(slots)
    assert new.number == old.number
    assert not slots.renew(old)
    slots.release(old)
    assert slots.renew(new)


def test_pools_do_not_see_each_other(store: sa.Engine, slots: TableSlots) -> None:
    expire(slots, claimed(slots))
    other = TableSlots(store, "other")
    assert (other.dirty(), other.claim("dirty"), claimed(other).number) == ([], None, 0)
