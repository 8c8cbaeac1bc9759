"""Runs as they are read back: for `runs`, `show`, `explain` and the live view."""

from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.events import Event
from reknit.core.run import RunState


@dataclass(frozen=True)
class RunView:
    id: str
    kind: str
    repository: str
    base: str
    agent: str
    state: RunState
    phase: str
    worker: str
    """The slot of the process that was last seen working on it."""
    reason: str
    until: float | None
    ending: str | None
    detail: Mapping[str, object]
    commit: str | None
    spent_usd: float
    budget_usd: float
    created_at: float
    ended_at: float | None
    undone_at: float | None
    spec: Mapping[str, object]


@dataclass(frozen=True)
class AttemptView:
    number: int
    finding: str
    subject: str
    strategy: str
    starts: int
    outcome: str | None
    gate: Mapping[str, object] | None
    proof: Mapping[str, object] | None
    said: str | None
    cost_usd: float | None
    tokens: int | None
    started_at: float
    ended_at: float | None


@dataclass(frozen=True)
class EventView:
    number: int
    run_id: str
    at: float
    event: Event
