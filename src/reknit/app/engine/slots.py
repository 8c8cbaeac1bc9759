"""Holds a slot for this process: lock files (SQLite) or leased rows (Postgres), and a watchdog for the lease."""

import fcntl
import os
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from reknit.app.installation import LEASE_S, Installation
from reknit.core.errors import UsageError
from reknit.core.runs.slot import POOL, Slot
from reknit.store.database import is_sqlite, sqlite_path
from reknit.store.runs.coordination import TableSlots, Wanted


class SlotUnavailableError(UsageError):
    """The requested slot is held by a live worker."""


RETRY_S = 0.25


class Slots(Protocol):
    """The slots of a pool. Each process holds one, so that its runs are found if it dies."""

    lease_s: float

    def claim(self, state: Wanted = "any", *, number: int | None = None) -> Slot | None: ...
    def renew(self, slot: Slot) -> bool: ...
    def release(self, slot: Slot) -> None: ...
    def list_dirty(self) -> list[int]: ...


def open_slots(installation: Installation, database: sa.Engine, lease_s: float = LEASE_S) -> Slots:
    """Return the slots of this database: lock files beside SQLite, leased rows in Postgres."""
    if is_sqlite(installation.database):
        database_file = sqlite_path(
            installation.database
        )  # next to it: processes that share the database share the slots
        return FileSlots(database_file.with_name(f"{database_file.name}.slots") / POOL, POOL)
    return TableSlots(database, POOL, lease_s)


class FileSlots:
    """One locked file per slot. The kernel unlocks it when its holder dies; text in an unlocked file means dirty."""

    lease_s = float("inf")

    def __init__(self, folder: Path, pool: str) -> None:
        self.folder, self.pool = folder, pool
        folder.mkdir(parents=True, exist_ok=True)
        self._held: dict[int, int] = {}

    def claim(self, state: Wanted = "any", *, number: int | None = None) -> Slot | None:
        numbers = self._list_numbers()
        candidates = [number] if number is not None else [*numbers, *self._suggest_numbers(numbers, state)]
        if state == "any" and number is None:
            dirty_numbers = self.list_dirty()
            candidates = [*dirty_numbers, *(other for other in candidates if other not in dirty_numbers)]
        for candidate in candidates:
            was_dirty = self._lock(candidate, retries=number is not None)
            if was_dirty is None:
                continue
            if number is None and state != "any" and was_dirty != (state == "dirty"):
                self._drop(candidate)
                continue
            owner = uuid.uuid4().hex
            os.pwrite(self._held[candidate], owner.encode(), 0)
            return Slot(self.pool, candidate, owner)
        return None

    def renew(self, slot: Slot) -> bool:
        return slot.number in self._held

    def release(self, slot: Slot) -> None:
        os.ftruncate(self._held[slot.number], 0)
        self._drop(slot.number)

    def list_dirty(self) -> list[int]:
        dirty_numbers = []
        for number in self._list_numbers():
            if number in self._held:
                continue
            if self._is_dirty(number):
                dirty_numbers.append(number)
        return dirty_numbers

    def _is_dirty(self, number: int) -> bool:
        """Return True if the slot is dirty. Readers share the lock, so that none mistakes another for a holder."""
        with (self.folder / f"{number}.lock").open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return os.fstat(file.fileno()).st_size > 0

    def _list_numbers(self) -> list[int]:
        return sorted(int(path.stem) for path in self.folder.glob("*.lock"))

    def _suggest_numbers(self, numbers: list[int], state: Wanted) -> list[int]:
        """Return more new numbers than others could take meanwhile, so that one is left for us."""
        first = numbers[-1] + 1 if numbers else 0
        return [] if state == "dirty" else list(range(first, first + 100))

    def _lock(self, number: int, *, retries: bool = False) -> bool | None:
        """Lock a slot and return whether it was dirty; None if another process holds it.

        `retries`: try again for a moment, because a process that only inspects this slot lets it go soon.
        """
        fd = os.open(self.folder / f"{number}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        pause = threading.Event()
        for _ in range(20 if retries else 1):
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pause.wait(0.01 if retries else 0)
                continue
            self._held[number] = fd
            return os.fstat(fd).st_size > 0
        os.close(fd)
        return None

    def _drop(self, number: int) -> None:
        os.close(self._held.pop(number))


class LeaseKeeper:
    """Renews a lease. Its watchdog reads only the local clock, so a hung database cannot block it.

    `fence` receives what the database did, such as `did not answer for 14 s`.
    """

    def __init__(self, slots: Slots, slot: Slot, claimed_at: float, fence: Callable[[str], None]) -> None:
        self._slots, self._slot, self._fence = slots, slot, fence
        # Often, so that most of the lease is left for waiting when the database becomes unavailable.
        self._beat_s = min(slots.lease_s / 15, 5.0)
        self._margin_s = min(slots.lease_s / 4, max(self._beat_s, 0.5))
        self._renewed, self._trouble = claimed_at, ""
        self._stopped = threading.Event()
        for work in (self._renew, self._watch):
            threading.Thread(target=work, name=f"slot-{work.__name__}", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def _renew(self) -> None:
        wait_s = self._beat_s
        while not self._stopped.wait(wait_s):
            sent_at = time.monotonic()
            try:
                is_renewed = self._slots.renew(self._slot)
            except SQLAlchemyError as error:
                self._trouble = str(getattr(error, "orig", error)).partition("\n")[0]
                wait_s = min(self._beat_s, RETRY_S)
                continue  # the database is unavailable: the watchdog's deadline decides
            if not is_renewed and not self._stopped.is_set():
                self._fence("gave the slot of this process to another one because its lease had expired")
                return
            # Counted from before the renewal was sent, so the database's expiry is always later than ours.
            self._renewed, self._trouble, wait_s = sent_at, "", self._beat_s

    def _watch(self) -> None:
        while not self._stopped.wait(0.05):
            silent_s = time.monotonic() - self._renewed
            if silent_s > self._slots.lease_s - self._margin_s:
                why = f" ({self._trouble})" if self._trouble else ""
                self._fence(f"did not answer for {silent_s:.0f} s{why}")
                return
