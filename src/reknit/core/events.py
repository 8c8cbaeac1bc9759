"""Events: what a run tells while it goes on, once for people and once for programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Mark = Literal["ok", "bad", "..", "wait", "note"]


@dataclass(frozen=True)
class Event:
    kind: str
    """Stable word for programs: baseline, attempt, gate, verify, waiting, landed, ending."""
    mark: Mark
    label: str
    text: str
    """One line for people; already cleaned."""
    data: Mapping[str, object] = field(default_factory=dict)
