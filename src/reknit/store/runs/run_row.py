"""The row of a new run. Needs no database library, so that queueing a run loads none."""

import dataclasses
import json
from typing import Any

from reknit.core.runs.spec import RunSpec


def as_json(value: Any) -> str:
    """Any frozen dataclass, as it is stored."""
    return json.dumps(dataclasses.asdict(value), separators=(",", ":"))


def run_row(spec: RunSpec, worker: str = "") -> dict[str, str | float]:
    """`worker`: the slot of the process that starts it; empty: it waits for one."""
    return {
        "id": spec.run_id, "kind": spec.kind, "repository": spec.repository, "base": spec.base,
        "agent": spec.agent.name, "spec": as_json(spec), "state": "queued", "worker": worker,
        "budget_usd": spec.limits.budget_usd, "created_at": spec.created_at,
    }  # fmt: skip
