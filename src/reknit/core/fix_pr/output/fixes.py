"""The fixes that a pull-request run made or tried: their findings, their commits, and what is known about them now."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reknit.core.fix_pr.output.record import MAX_REMAINING, Record, RemainingFinding, make_key, to_remaining_findings
from reknit.core.fix_pr.push import NotPushed, Pushed
from reknit.core.fix_pr.state import Fix
from reknit.core.text.format import sanitize_line

MAX_FILES = 20
"""Maximum number of stored files of a fix; the rest is counted."""
_WHY_CHARS = 160
_FORM = re.compile(r"^fix: (.*?)(?: \(iteration \d+\))?$")


@dataclass(frozen=True)
class FixRecord:
    """One fix: what it was for, and the commit that it became."""

    number: int
    """Number of its iteration."""
    agent: str
    findings: tuple[RemainingFinding, ...]
    count: int
    """Number of all its findings; `findings` is cut."""
    commit: str = ""
    """Empty: nothing landed."""
    brief: str = ""
    """The change in plain words: the subject of the commit."""
    files: tuple[str, ...] = ()
    proven: tuple[str, ...] = ()
    """Keys of the tests that failed again without the commit."""
    why: str = ""
    """Why nothing landed."""


@dataclass(frozen=True)
class TracedFinding:
    """A finding that a fix was for, and what is known about it now."""

    finding: RemainingFinding
    fixes: tuple[FixRecord, ...]
    """All fixes that were for it, the oldest first."""
    proof: str = ""
    """Why it counts as fixed; empty: it does not."""
    doubt: str = ""
    """Why nothing is known about it now; empty: it is known."""

    @property
    def commits(self) -> tuple[FixRecord, ...]:
        return tuple(fix for fix in self.fixes if fix.commit)


def to_fix_record(
    move: Fix, end: Pushed | NotPushed, subject: str = "", files: Sequence[str] = (), proven: Sequence[str] = ()
) -> FixRecord:
    """Return the record of a fix. `subject`, `files`: of its commit; `proven`: tests that are red without it."""
    brief = _FORM.sub(r"\1", sanitize_line(subject))
    names = [sanitize_line(file) for file in files]
    shown = [*names[:MAX_FILES], *([f"and {len(names) - MAX_FILES} more"] if names[MAX_FILES:] else [])]
    findings = to_remaining_findings(move.findings)
    is_proven = [finding.source == "tests" and finding.subject in proven for finding in move.findings]
    keys = tuple(make_key(finding) for finding, is_red in zip(move.findings, is_proven, strict=True) if is_red)
    commit, why = (end.commit, "") if isinstance(end, Pushed) else ("", sanitize_line(end.why, _WHY_CHARS))
    return FixRecord(move.number, move.agent, findings, len(move.findings), commit, brief, tuple(shown), keys, why)


def read_fixes(document: Mapping[str, Any]) -> tuple[FixRecord, ...]:
    """Read the fixes of a stored run; a run of an older version has none."""
    return tuple(
        FixRecord(
            **{
                **fix,
                "findings": tuple(RemainingFinding(**finding) for finding in fix["findings"]),
                "files": tuple(fix["files"]),
                "proven": tuple(fix["proven"]),
            }
        )
        for fix in document.get("fixes", ())
    )


def trace_findings(record: Record, fixes: Sequence[FixRecord]) -> tuple[TracedFinding, ...]:
    """Return each finding that a fix was for, once, with what the last checks say about it."""
    fixes_by_key: dict[str, list[FixRecord]] = {}
    findings: dict[str, RemainingFinding] = {}
    for fix in fixes:
        for finding in fix.findings:
            findings.setdefault(finding.key, finding)
            fixes_by_key.setdefault(finding.key, []).append(fix)
    return tuple(_trace(finding, tuple(fixes_by_key[key]), record) for key, finding in findings.items())


def _trace(finding: RemainingFinding, fixes: tuple[FixRecord, ...], record: Record) -> TracedFinding:
    look = record.looks[-1] if record.looks else None
    is_checked = look is not None and (record.is_settled or fixes[-1].number < look.number)
    if is_checked and finding.key in {remaining.key for remaining in record.left}:
        return TracedFinding(finding, fixes, "", "still reported")
    if any(finding.key in fix.proven for fix in fixes):
        return TracedFinding(finding, fixes, "the test fails without the change")
    if look is None or not is_checked:
        return TracedFinding(finding, fixes, "", "not checked since")
    state = {"tests": look.tests, "ci": look.ci, "review": look.review}.get(finding.source, "off")
    if state not in ("pass", "fail") or _may_be_cut(record) or (state == "fail" and _is_reworded(finding, record)):
        return TracedFinding(finding, fixes, "", _EXPLAIN_DOUBT.get(state, "not reported in these words any more"))
    return TracedFinding(finding, fixes, _describe_proof(finding))


_EXPLAIN_DOUBT = {"pending": "its check has no result yet", "error": "its check gave no result", "off": "not checked"}


def _may_be_cut(record: Record) -> bool:
    """Return True if not all remaining findings are stored."""
    return len(record.left) >= MAX_REMAINING


def _is_reworded(finding: RemainingFinding, record: Record) -> bool:
    """Return True if the reviewer still reports something in the same file: it may be the same in other words."""
    is_by_agent = finding.source == "review" and not finding.author
    return is_by_agent and any(left.source == "review" and left.file == finding.file for left in record.left)


def _describe_proof(finding: RemainingFinding) -> str:
    if finding.author:
        return "the change answers it; its author decides"
    now = {"tests": "the test passes now", "ci": "the check passes now"}
    return now.get(finding.source, "the review no longer reports it")


def describe_tries(fixes: Sequence[FixRecord], most: int = 3) -> str:
    """Return what was tried on a finding that remains: `tried in iteration 1 (bbbbbbb) and 2 (the gate refused it)`."""
    tries = [f"{fix.number} ({fix.commit[:7] or fix.why or 'nothing landed'})" for fix in fixes[-most:]]
    earlier = f" after {len(fixes) - most} more" if len(fixes) > most else ""
    return f"tried in iteration {', '.join(tries)}{earlier}" if tries else ""
