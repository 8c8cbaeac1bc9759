"""Names the slots that workers hold. Only the holder of a slot recovers the runs that its last holder left."""

from dataclasses import dataclass

POOL = "checkpoints-1"
"""Version of our checkpoints, raised only when older runs cannot be continued. Each has its own pool of slots."""
LEAST_SERVICE_S = 3.0
"""Seconds for which a worker in the background looks for runs, at least; it then ends if there is no work."""


@dataclass(frozen=True)
class Slot:
    """A slot and the process that holds it."""

    pool: str
    number: int
    owner: str

    @property
    def executor_id(self) -> str:
        return f"{self.pool}/slot-{self.number}"

    @property
    def queue(self) -> str:
        """Return the queue of the runs that belong to this slot alone: only its holder takes them."""
        return f"slot-{self.number}"


def parse_queue_name(name: str | None) -> int | None:
    """Return the number of the slot; None if the name is no slot's queue."""
    prefix, separator, number = (name or "").partition("slot-")
    return int(number) if separator and not prefix and number.isdigit() else None


def parse_executor_id(executor_id: str | None) -> int | None:
    """Return the number of the slot; None if it is not of our pool."""
    pool, separator, number = (executor_id or "").partition("/slot-")
    return int(number) if separator and pool == POOL and number.isdigit() else None
