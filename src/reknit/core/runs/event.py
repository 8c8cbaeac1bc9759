"""Events: what a run reports while it runs, once for people and once for programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from reknit.core.text.redact import clean, redact

Mark = Literal["ok", "bad", "..", "wait", "note"]


@dataclass(frozen=True)
class Event:
    """Something that happened in a run, for people and programs."""

    kind: str
    """Stable word for programs: baseline, attempt, gate, verify, waiting, landed, ending."""
    mark: Mark
    label: str
    text: str
    """One line for people."""
    data: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """File names, test ids and messages come from a repository or an agent: no escape, no second line."""
        object.__setattr__(self, "text", redact(clean(self.text)).replace("\n", " "))
