"""Values of the web pages: cursors, sums per week, entries of the audit trail, and who asks."""

from dataclasses import dataclass
from typing import Literal

Action = Literal["enter", "read", "stop", "resume", "settle"]
"""`enter`: log in. `settle`: take a run out of the inbox."""
Permission = Literal["none", "read", "write"]


@dataclass(frozen=True)
class Cursor:
    """The last row of a page: its time and its run."""

    at: float
    id: str


@dataclass(frozen=True)
class WeekOfFixes:
    """The runs of one week that landed something."""

    begins_at: float
    landed: int
    undone: int


@dataclass(frozen=True)
class WeekOfSpending:
    """The cost of one agent in one repository in one week."""

    begins_at: float
    repository: str
    agent: str
    usd: float
    runs: int


@dataclass(frozen=True)
class AuditEntry:
    """One action that somebody asked for over the web."""

    at: float
    who: str
    """Name at the forge; `local` on a laptop, empty if unknown."""
    source: str
    """Address that sent the request."""
    action: str
    target: str
    """The run; empty if there is none."""
    outcome: Literal["accepted", "refused"]
    reason: str
    """Our own words; empty if it was accepted."""
