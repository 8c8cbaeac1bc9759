"""Tells whether a run stands still: the same failures, look after look."""

import hashlib
from collections.abc import Sequence

from reknit.core.finding import Finding


def signature(findings: Sequence[Finding]) -> str:
    """One text for the same failures of the same files and tests; empty for none.

    Lines and messages move with every edit, so they are left out. How often a file is named stays in: three findings
    in a file that became two are progress. Minor ones are never fixed and change with a reviewer's mood.
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
    """Oldest first. Looks without a failure are no stall, however many."""
    last = signatures[-after:] if after > 0 else []
    return len(last) == after > 0 and bool(last[0]) and len(set(last)) == 1
