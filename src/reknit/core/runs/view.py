"""Runs as read from the store, for `runs`, `show`, `explain` and the live view."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reknit.core.errors import InternalError
from reknit.core.repository.uncommitted import not_looked_at
from reknit.core.runs.event import Event
from reknit.core.runs.spec import RunState


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


def pull_of(run: RunView) -> Mapping[str, Any]:
    """The pull request of a run: its `PullTarget` or `VoteTarget` as it was stored."""
    found = run.spec.get("pull") or run.spec.get("vote")
    if not isinstance(found, Mapping):
        raise InternalError("no-pull-request", f"{run.id} has no pull request")
    return found


def has_pull(run: RunView) -> bool:
    return bool(run.spec.get("pull") or run.spec.get("vote"))


def beside_clean(run: RunView) -> str:
    """The note on uncommitted files for a run that ended CLEAN; empty if there were none, or it ended otherwise."""
    names, count = run.spec.get("uncommitted"), run.spec.get("uncommitted_count")
    if run.ending != "CLEAN" or not isinstance(names, list | tuple) or not isinstance(count, int):
        return ""
    return not_looked_at([str(name) for name in names], count, on_forge=has_pull(run))
