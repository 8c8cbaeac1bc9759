"""Decides whether a run makes progress: it stalls, converges, or its own fixes keep producing new findings."""

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
    """Findings on lines this run wrote."""
    landed: bool
    """A fix of this run landed between the previous look and this one."""
    grown_source: int
    grown_tests: int
    """Net lines this run has added so far."""


def compute_own_share(counts: FindingCounts) -> float:
    """Return the share of findings on lines that this run wrote, from 0 to 1."""
    return min(counts.own, counts.findings) / counts.findings if counts.findings else 0.0


def explain_divergence(rounds: Sequence[FindingCounts], limits: PullLimits) -> str:
    """Return why the run ends CHURN, for people; empty while it may continue. Rounds oldest first."""
    if not rounds or not rounds[-1].findings:
        return ""  # nothing is left to fix, so nothing more will be added
    return (
        _explain_breeding(rounds, limits) or _explain_no_decrease(rounds, limits) or _explain_growth(rounds[-1], limits)
    )


def format_curve(rounds: Sequence[FindingCounts]) -> str:
    """Format findings, own findings and added lines of the latest rounds, oldest first."""
    if not rounds:
        return ""
    latest = rounds[-SHOWN_ROUNDS:]
    first = ["…"] if len(latest) < len(rounds) else []
    findings = " › ".join([*first, *(str(counts.findings) for counts in latest)])
    own = " › ".join([*first, *(_format_own_share(counts) for counts in latest)])
    grown = " › ".join([*first, *(f"{counts.grown_source + counts.grown_tests:+d}" for counts in latest)])
    return f"findings {findings}, own {own}, {grown} lines"


def _explain_breeding(rounds: Sequence[FindingCounts], limits: PullLimits) -> str:
    """Compare a share, not a count: a few findings are self-inflicted too if most are on lines the run wrote."""
    started = next((index for index, counts in enumerate(rounds) if counts.landed), len(rounds))
    last = rounds[started:][-limits.churn_rounds :]
    if len(last) < limits.churn_rounds or not all(
        counts.findings and compute_own_share(counts) >= limits.churn_share for counts in last
    ):
        return ""
    if last[-1].findings < last[0].findings:
        return ""  # self-inflicted too, but fewer each time: the run converges
    return (
        f"its own fixes breed new findings: {_format_own_share(rounds[-1])} of the latest are on lines this run wrote; "
        f"the limit is {limits.churn_share * 100:.0f} % (loop.churn_share) for {limits.churn_rounds} rounds in a row "
        "(loop.churn_rounds)"
    )


def _explain_no_decrease(rounds: Sequence[FindingCounts], limits: PullLimits) -> str:
    """Compare each round with the previous one; a decrease restarts the count.

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


def _explain_growth(counts: FindingCounts, limits: PullLimits) -> str:
    if counts.grown_source > limits.grown_source:
        most = f"the limit is {limits.grown_source} (loop.grown_source)"
        return f"its fixes added {counts.grown_source} lines of source to the pull request; {most}"
    if counts.grown_tests > limits.grown_tests:
        most = f"the limit is {limits.grown_tests} (loop.grown_tests)"
        return f"its fixes added {counts.grown_tests} lines of tests to the pull request; {most}"
    return ""


def _format_own_share(counts: FindingCounts) -> str:
    """Round down, or a share just below the limit would be shown as the limit."""
    return f"{min(counts.own, counts.findings) * 100 // max(counts.findings, 1)} %"


def hash_failures(findings: Sequence[Finding]) -> str:
    """Return a hash that is equal for the same failures in the same files and tests; empty if there are none.

    Lines and messages change with every edit, so they are left out. The number of findings per file counts: three
    that become two are progress. Minor findings are left out: they are never fixed and differ from review to review.
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
    """Check if the last `after` hashes are equal. Oldest first; iterations without failures are never a stall."""
    last = signatures[-after:] if after > 0 else []
    return len(last) == after > 0 and bool(last[0]) and len(set(last)) == 1
