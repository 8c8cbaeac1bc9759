"""Slot leases in a table: never one slot twice, never an expired lease revived, the dead workers' slots first."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from reknit.core.gateway.metering import ProviderRefusal
from reknit.core.runs.backoff import MAX_WAIT_S
from reknit.core.runs.ending import Ending
from reknit.core.runs.slot import Slot
from reknit.store import tables
from reknit.store.runs.coordination import QueuedRun, RunQueue, SqlAccounts, TableSlots
from reknit.store.runs.ledger import SqlRunLedger
from tests.tools.recorded_runs import spec

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
    assert slots.list_dirty() == [dead.number]
    taken = claimed(slots)
    assert (taken.number, slots.list_dirty()) == (dead.number, [])
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
    assert slots.list_dirty() == []


def test_an_expired_lease_is_never_revived(slots: TableSlots) -> None:
    slot = claimed(slots)
    assert slots.renew(slot)
    expire(slots, slot)
    assert not slots.renew(slot)
    assert slots.list_dirty() == [slot.number]


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
    assert (other.list_dirty(), other.claim("dirty"), claimed(other).number) == ([], None, 0)


def test_the_oldest_of_a_pool_first(store: sa.Engine) -> None:
    ledger, queue = SqlRunLedger(store), RunQueue(store)
    for run_id, created_at, pool in (("r-1", 3.0, "p"), ("r-2", 1.0, "p"), ("r-3", 2.0, "q"), ("r-4", 2.0, "p")):
        ledger.create(spec(run_id, created_at=created_at))
        queue.add(run_id, pool)
    assert [run.id for run in queue.oldest("p", 10)] == ["r-2", "r-4", "r-1"]
    assert [run.id for run in queue.oldest("p", 1)] == ["r-2"]
    queue.remove("r-2")
    queue.remove("r-2")
    assert (queue.holds("r-2"), queue.holds("r-4")) == (False, True)


def test_an_ended_run_is_marked(store: sa.Engine) -> None:
    ledger, queue = SqlRunLedger(store), RunQueue(store)
    ledger.create(spec("r-1"))
    queue.add("r-1", "p")
    ledger.end("r-1", Ending("CANCELLED", "by a person"))
    assert queue.oldest("p", 10) == [QueuedRun("r-1", "fix tests", has_ended=True)]


ACCOUNT = "anthropic:1234"


@pytest.fixture
def accounts(store: sa.Engine) -> SqlAccounts:
    return SqlAccounts(store)


def test_an_account_nobody_spoke_of_is_free(accounts: SqlAccounts) -> None:
    accounts.record_success(ACCOUNT)
    assert accounts.not_before(ACCOUNT) is None


def test_a_limit_is_known_to_everybody_on_the_database(accounts: SqlAccounts, store: sa.Engine) -> None:
    until = time.time() + 60
    accounts.record_limit(ACCOUNT, ProviderRefusal(429, until))
    assert SqlAccounts(store).not_before(ACCOUNT) == until
    assert accounts.not_before("anthropic:other") is None


@pytest.mark.parametrize("seconds", [(60, 30), (30, 60)])
def test_of_two_limits_the_later_time_holds(accounts: SqlAccounts, seconds: tuple[int, int]) -> None:
    now = time.time()
    for each in seconds:
        accounts.record_limit(ACCOUNT, ProviderRefusal(429, now + each))
    assert accounts.not_before(ACCOUNT) == now + 60


def test_a_time_that_is_over_is_no_limit(accounts: SqlAccounts) -> None:
    accounts.record_limit(ACCOUNT, ProviderRefusal(429, time.time() - 1))
    assert accounts.not_before(ACCOUNT) is None


def test_an_answer_to_an_older_request_lifts_no_newer_limit(accounts: SqlAccounts) -> None:
    until = time.time() + 60
    accounts.record_limit(ACCOUNT, ProviderRefusal(429, until))
    accounts.record_success(ACCOUNT)
    assert accounts.not_before(ACCOUNT) == until


def rest(accounts: SqlAccounts) -> float:
    before = time.time()
    accounts.record_limit(ACCOUNT, ProviderRefusal(429))
    return round((accounts.not_before(ACCOUNT) or 0.0) - before)


def test_without_a_named_time_the_rest_doubles_until_an_answer_comes(accounts: SqlAccounts) -> None:
    for _ in range(3):
        accounts.record_limit(ACCOUNT, ProviderRefusal(429, time.time() - 1))
    assert rest(accounts) == 8


def test_an_answer_forgets_the_strikes(accounts: SqlAccounts) -> None:
    for _ in range(3):
        accounts.record_limit(ACCOUNT, ProviderRefusal(429, time.time() - 1))
    accounts.record_success(ACCOUNT)
    assert rest(accounts) == 1


def test_refusals_that_come_together_are_one_strike(accounts: SqlAccounts) -> None:
    assert [rest(accounts) for _ in range(5)] == [1, 2, 2, 2, 2]


def test_no_time_is_too_far_to_ask_again(accounts: SqlAccounts) -> None:
    accounts.record_limit(ACCOUNT, ProviderRefusal(429, time.time() + 1e9))
    until = accounts.not_before(ACCOUNT)
    assert until is not None
    assert until <= time.time() + MAX_WAIT_S
