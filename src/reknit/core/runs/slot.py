"""Slots: the names under which workers run. Only the holder of a slot recovers the runs its last holder left."""

from dataclasses import dataclass

POOL = "checkpoints-1"
"""Our checkpoint version, raised only when older runs cannot be continued. Each has its own pool of slots."""


@dataclass(frozen=True)
class Slot:
    pool: str
    number: int
    owner: str

    @property
    def executor_id(self) -> str:
        return f"{self.pool}/slot-{self.number}"

    @property
    def queue(self) -> str:
        """Runs that belong to this slot alone: only its holder takes them."""
        return own_queue(self.number)


def own_queue(number: int) -> str:
    return f"slot-{number}"


def number_of_queue(name: str | None) -> int | None:
    prefix, found, number = (name or "").partition("slot-")
    return int(number) if found and not prefix and number.isdigit() else None


def slot_number(executor_id: str | None) -> int | None:
    pool, found, number = (executor_id or "").partition("/slot-")
    return int(number) if found and pool == POOL and number.isdigit() else None
