"""The limits of a run: each is on by default, and the first one reached ends it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    attempts: int = 3
    """Attempts on one finding, then DEFERRED."""
    budget_usd: float = 5.0
    """OVER_BUDGET."""
    timeout_s: float = 2700.0
    """Working time of the run, waits for a limit left out."""
    agent_wall_s: float = 900.0
    agent_idle_s: float = 300.0
    agent_turns: int = 60
    test_wall_s: float = 900.0
    waits: int = 20
    """Waits for a provider's limit or overload in one run, then BLOCKED."""
    wait_s: float = 30.0
    """The first wait when the provider names no time; it doubles, up to an hour."""
    patience_s: float = 60.0
    """A longer wait is not waited out while another agent is ready."""
    idles: int = 2
    """Calls on one finding that fell silent and left nothing, before they count as attempts."""
    changed_files: int = 20
    changed_lines: int = 1000
