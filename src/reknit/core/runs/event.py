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
    """Short word before the text, such as `gate` or `attempt 2`."""
    text: str
    """One line for people."""
    data: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Clean the text, because a repository or an agent chooses file names, test ids and messages."""
        object.__setattr__(self, "text", redact(clean(self.text)).replace("\n", " "))
