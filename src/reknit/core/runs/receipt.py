"""The receipt: the evidence kept for a fix, enough to re-check every claim it makes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Receipt:
    finding: str
    tests: tuple[str, ...]
    """Test ids that were red and are green now."""
    base: str
    commit: str
    tree: str
    attempt: int
    strategy: str
    agent: str
    evidence: str
    """How the tests were seen: junit or exit code."""
    red_before: str
    green_after: str
    red_without: str
    gate: str
    rules: tuple[str, ...]
    box: str
    cost_usd: float
    command: tuple[str, ...]
    judged: str = ""
    """For a run on the backlog: the verdict of a challenger of another vendor, or why there is none."""
