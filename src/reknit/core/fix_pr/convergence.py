"""Decides whether a run makes progress, stalls, or causes new findings by its own fixes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from reknit.core.finding import Finding
from reknit.core.runs.limits import PullLimits

SHOWN_ROUNDS = 10


@dataclass(frozen=True)
class FindingCounts:
    """Counts of findings and added lines in one iteration."""

    findings: int
    own: int
    """Number of findings on lines that this run wrote."""
    landed: bool
    """True if a fix of this run landed after the previous iteration."""
    grown_source: int
    """Net lines of source that this run has added so far."""
    grown_tests: int
    """Net lines of tests that this run has added so far."""


def compute_own_share(counts: FindingCounts) -> float:
    """Return the share of findings on lines that this run wrote, from 0 to 1."""
    return min(counts.own, counts.findings) / counts.findings if counts.findings else 0.0


def explain_divergence(rounds: Sequence[FindingCounts], limits: PullLimits) -> str:
    """Return why the run ends CHURN, for people; empty while it may continue. `rounds`: the oldest first."""
    if not rounds or not rounds[-1].findings:
        return ""  # nothing is left to fix, so nothing more will be added
    return (
        _explain_breeding(rounds, limits) or _explain_no_decrease(rounds, limits) or _explain_growth(rounds[-1], limits)
    )


def format_curve(rounds: Sequence[FindingCounts]) -> str:
    """Format the findings, the own share and the added lines of the latest rounds, the oldest first."""
    if not rounds:
        return ""
    latest = rounds[-SHOWN_ROUNDS:]
    first = ["…"] if len(latest) < len(rounds) else []
    findings = " › ".join([*first, *(str(counts.findings) for counts in latest)])
    own = " › ".join([*first, *(_format_own_share(counts) for counts in latest)])
    grown = " › ".join([*first, *(f"{counts.grown_source + counts.grown_tests:+d}" for counts in latest)])
    return f"findings {findings}, own {own}, {grown} lines"


def _explain_breeding(rounds: Sequence[FindingCounts], limits: PullLimits) -> str:
    """Explain that most findings are on lines this run wrote. A share counts, so a few findings are enough."""
    started = next((index for index, counts in enumerate(rounds) if counts.landed), len(rounds))
    last = rounds[started:][-limits.churn_rounds :]
    if len(last) < limits.churn_rounds or not all(
        counts.findings and compute_own_share(counts) >= limits.churn_share for counts in last
    ):
        return ""
    if last[-1].findings < last[0].findings:
        return ""  # the run causes new findings, but fewer than before
    return (
        f"its own fixes breed new findings: {_format_own_share(rounds[-1])} of the latest are on lines this run wrote; "
        f"the limit is {limits.churn_share * 100:.0f} % (loop.churn_share) for {limits.churn_rounds} rounds in a row "
        "(loop.churn_rounds)"
    )


def _explain_no_decrease(rounds: Sequence[FindingCounts], limits: PullLimits) -> str:
    """Explain that no round had fewer findings than the round before it.

    The first and the last round alone do not show it. A repaired build lets more tests run, so 1 › 20 › 15 › 10 is
    progress although 10 is more than 1.
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


def _explain_growth(counts: FindingCounts, limits: PullLimits) -> str:
    if counts.grown_source > limits.grown_source:
        limit = f"the limit is {limits.grown_source} (loop.grown_source)"
        return f"its fixes added {counts.grown_source} lines of source to the pull request; {limit}"
    if counts.grown_tests > limits.grown_tests:
        limit = f"the limit is {limits.grown_tests} (loop.grown_tests)"
        return f"its fixes added {counts.grown_tests} lines of tests to the pull request; {limit}"
    return ""


def _format_own_share(counts: FindingCounts) -> str:
    """Round down, so that a share just below the limit is not shown as the limit."""
    return f"{min(counts.own, counts.findings) * 100 // max(counts.findings, 1)} %"


def hash_failures(findings: Sequence[Finding]) -> str:
    """Return a hash that is equal for the same failures in the same files and tests; empty if there are none.

    It ignores lines and messages, which every edit changes, and minor findings, which are never fixed. It includes
    the number of findings per file, because two instead of three are progress.
    """
    failures = sorted(
        (finding.source, finding.rule, finding.subject or finding.file)
        for finding in findings
        if finding.weight != "minor"
    )
    if not failures:
        return ""
    return hashlib.sha256(repr(failures).encode()).hexdigest()[:20]


def is_stalled(signatures: Sequence[str], after: int) -> bool:
    """Return True if the last `after` hashes are equal. The oldest is first; an iteration without failures has none."""
    last = signatures[-after:] if after > 0 else []
    return len(last) == after > 0 and bool(last[0]) and len(set(last)) == 1
