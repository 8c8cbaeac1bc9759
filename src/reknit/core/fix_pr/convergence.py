"""Decides whether a run converges, or its own fixes keep producing new findings."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from reknit.core.runs.limits import PullLimits

SHOWN_ROUNDS = 10


@dataclass(frozen=True)
class FindingCounts:
    """Counts from one look at the pull request."""

    findings: int
    own: int
    """Findings on lines this run wrote."""
    landed: bool
    """A fix of this run landed between the previous look and this one."""
    grown_source: int
    grown_tests: int
    """Net lines this run has added so far."""


def share(seen: FindingCounts) -> float:
    return min(seen.own, seen.findings) / seen.findings if seen.findings else 0.0


def diverges(rounds: Sequence[FindingCounts], limits: PullLimits) -> str:
    """Why the run ends CHURN, for people; empty while it may continue. Rounds oldest first."""
    if not rounds or not rounds[-1].findings:
        return ""  # nothing is left to fix, so nothing more will be added
    return _breeds(rounds, limits) or _is_flat(rounds, limits) or _grew(rounds[-1], limits)


def curve(rounds: Sequence[FindingCounts]) -> str:
    if not rounds:
        return ""
    shown = rounds[-SHOWN_ROUNDS:]
    first = ["…"] if len(shown) < len(rounds) else []
    findings = " › ".join([*first, *(str(seen.findings) for seen in shown)])
    own = " › ".join([*first, *(_percent(seen) for seen in shown)])
    grown = " › ".join([*first, *(f"{seen.grown_source + seen.grown_tests:+d}" for seen in shown)])
    return f"findings {findings}, own {own}, {grown} lines"


def _breeds(rounds: Sequence[FindingCounts], limits: PullLimits) -> str:
    """Compares a share, not a count: even a few findings are self-inflicted if most are on lines the run wrote."""
    started = next((index for index, seen in enumerate(rounds) if seen.landed), len(rounds))
    last = rounds[started:][-limits.churn_rounds :]
    if len(last) < limits.churn_rounds or not all(seen.findings and share(seen) >= limits.churn_share for seen in last):
        return ""
    if last[-1].findings < last[0].findings:
        return ""  # self-inflicted too, but fewer each time: the run converges
    return (
        f"its own fixes breed new findings: {_percent(rounds[-1])} of the latest are on lines this run wrote; "
        f"the limit is {limits.churn_share * 100:.0f} % (loop.churn_share) for {limits.churn_rounds} rounds in a row "
        "(loop.churn_rounds)"
    )


def _is_flat(rounds: Sequence[FindingCounts], limits: PullLimits) -> str:
    """Compares each round with the previous one; a decrease restarts the count.

    Comparing only the first and the last is not enough: a repaired build exposes the tests behind it, so
    1 › 20 › 15 › 10 is improving even though 10 is more than 1.
    """
    last = rounds[-limits.flat_rounds - 1 :]
    steps = list(pairwise(last))
    if len(steps) < limits.flat_rounds or not all(
        after.landed and after.findings >= before.findings for before, after in steps
    ):
        return ""
    return (
        f"fixes landed but the findings did not decrease ({last[0].findings}, now {last[-1].findings}); "
        f"the limit is {limits.flat_rounds} rounds in a row (loop.flat_rounds)"
    )


def _grew(seen: FindingCounts, limits: PullLimits) -> str:
    if seen.grown_source > limits.grown_source:
        most = f"the limit is {limits.grown_source} (loop.grown_source)"
        return f"its fixes added {seen.grown_source} lines of source to the pull request; {most}"
    if seen.grown_tests > limits.grown_tests:
        most = f"the limit is {limits.grown_tests} (loop.grown_tests)"
        return f"its fixes added {seen.grown_tests} lines of tests to the pull request; {most}"
    return ""


def _percent(seen: FindingCounts) -> str:
    """Rounded down: otherwise a share just below the limit would be shown as the limit."""
    return f"{min(seen.own, seen.findings) * 100 // max(seen.findings, 1)} %"
