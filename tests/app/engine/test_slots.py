"""Holding a slot: lock files on a laptop, and the watchdog that ends a worker before its lease does."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from reknit.app.engine.slots import FileSlots, LeaseKeeper
from reknit.core.runs.slot import Slot
from reknit.store.runs.coordination import Wanted

DIES = """
import os, sys
from pathlib import Path
from reknit.app.engine.slots import FileSlots
FileSlots(Path(sys.argv[1]), "pool").claim()
os._exit(9)
"""
RACES = """
import sys
from pathlib import Path
from reknit.app.engine.slots import FileSlots
slots = FileSlots(Path(sys.argv[1]), "pool")
sys.stdin.readline()
print(slots.claim("clean").number, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def slots(tmp_path: Path) -> FileSlots:
    return FileSlots(tmp_path / "slots", "pool")


def claimed(slots: FileSlots, wanted: Wanted = "any", number: int | None = None) -> Slot:
    slot = slots.claim(wanted, number=number)
    assert slot is not None
    return slot


def leave_a_dead_one(slots: FileSlots) -> None:
    assert subprocess.run([sys.executable, "-c", DIES, str(slots.folder)], check=False).returncode == 9


def test_processes_that_claim_at_once_never_get_one_slot_twice(slots: FileSlots) -> None:
    argv = [sys.executable, "-c", RACES, str(slots.folder)]
    racers = [
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) for _ in range(4)
    ]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
    numbers = {racer.stdout.readline().strip() for racer in racers if racer.stdout}
    for racer in racers:
        racer.communicate()
    assert numbers == {"0", "1", "2", "3"}


def test_a_dead_workers_slot_is_dirty_and_comes_first(slots: FileSlots) -> None:
    leave_a_dead_one(slots)
    assert slots.list_dirty() == [0]
    slot = claimed(slots)
    assert (slot.number, slots.list_dirty()) == (0, [])


def test_who_wants_a_clean_slot_passes_a_dead_workers_by(slots: FileSlots) -> None:
    leave_a_dead_one(slots)
    assert claimed(slots, "clean").number == 1
    assert claimed(slots, "dirty").number == 0
    assert slots.claim("dirty") is None


def test_a_dead_workers_slot_can_be_asked_for_by_number(slots: FileSlots) -> None:
    leave_a_dead_one(slots)
    assert claimed(slots, "clean", number=0).number == 0
    assert FileSlots(slots.folder, "pool").claim("clean", number=0) is None


def test_a_released_slot_is_clean_and_used_again(slots: FileSlots) -> None:
    slot = claimed(slots)
    assert slots.renew(slot)
    slots.release(slot)
    assert not slots.renew(slot)
    assert slots.list_dirty() == []
    again = claimed(slots)
    assert again.number == 0
    assert again.owner != slot.owner


class Leases:
    """Slots whose renewals go as the test says."""

    lease_s = 0.4

    def __init__(self, answer: Callable[[], bool]) -> None:
        self._answer = answer
        self.renewed = threading.Semaphore(0)

    def claim(self, state: Wanted = "any", *, number: int | None = None) -> Slot | None:
        raise AssertionError

    def release(self, slot: Slot) -> None:
        raise AssertionError

    def list_dirty(self) -> list[int]:
        raise AssertionError

    def renew(self, slot: Slot) -> bool:
        self.renewed.release()
        return self._answer()


def _away() -> bool:
    raise OperationalError("update", {}, Exception("the database is away"))


def _hangs() -> bool:
    time.sleep(30)  # a database that does not answer at all
    return True


SLOT = Slot("pool", 0, "owner")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(
            lambda: False,
            "gave the slot of this process to another one because its lease had expired",
            id="another holds it",
        ),
        pytest.param(_away, "did not answer for 0 s (the database is away)", id="the database is away"),
        pytest.param(_hangs, "did not answer for 0 s", id="the database hangs"),
    ],
)
def test_who_cannot_renew_is_fenced_before_the_lease_ends(answer: Callable[[], bool], reason: str) -> None:
    fenced = threading.Event()
    reasons: list[str] = []

    def fence(why: str) -> None:
        reasons.append(why)
        fenced.set()

    asked = time.monotonic()
    keeper = LeaseKeeper(Leases(answer), SLOT, asked, fence)
    assert fenced.wait(10)
    keeper.stop()
    assert reasons[0] == reason


def test_who_renews_keeps_the_slot_longer_than_one_lease() -> None:
    fenced: list[str] = []
    leases = Leases(lambda: True)
    leases.lease_s = 2.0
    keeper = LeaseKeeper(leases, SLOT, time.monotonic(), fenced.append)
    for _ in range(18):  # fifteen renewals in a lease
        assert leases.renewed.acquire(timeout=10)
    keeper.stop()
    assert fenced == []
