"""Detects a stalled run: the same failures, look after look."""

import hashlib
from collections.abc import Sequence

from reknit.core.finding import Finding


def signature(findings: Sequence[Finding]) -> str:
    """A hash that is equal for the same failures in the same files and tests; empty if there are none.

    Lines and messages change with every edit, so they are left out. The number of findings per file counts: three
    that become two are progress. Minor findings are left out: they are never fixed and differ from review to review.
    """
    named = sorted(
        (finding.source, finding.rule, finding.subject or finding.file)
        for finding in findings
        if finding.weight != "minor"
    )
    if not named:
        return ""
    return hashlib.sha256(repr(named).encode()).hexdigest()[:20]


def is_stalled(signatures: Sequence[str], after: int) -> bool:
    """Oldest first. Looks without failures are never a stall, however many."""
    last = signatures[-after:] if after > 0 else []
    return len(last) == after > 0 and bool(last[0]) and len(set(last)) == 1
