"""The receipt: the evidence kept for a fix, enough to re-check every claim it makes."""

from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.text.format import one_line

TESTS_SHOWN = 3


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


def named_tests(receipt: Mapping[str, object]) -> str:
    """The first tests that a stored receipt names."""
    tests = receipt["tests"]
    if not isinstance(tests, list | tuple):
        return str(tests)
    more = f" and {len(tests) - TESTS_SHOWN} more" if len(tests) > TESTS_SHOWN else ""
    return ", ".join(one_line(str(test)) for test in tests[:TESTS_SHOWN]) + more
