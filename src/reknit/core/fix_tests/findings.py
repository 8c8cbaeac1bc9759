"""Turns red tests into findings: one per cause, recent ones first; what the environment broke is left out."""

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reknit.core.causes.classify import RedTest, causes_of
from reknit.core.causes.left_out import LeftOut, left_out_of
from reknit.core.causes.stale_lock import lock_path, stale_lock
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.evidence.failure_groups import grouped
from reknit.core.evidence.frames import own_frame
from reknit.core.finding import Finding
from reknit.core.repository.paths import is_below
from reknit.core.testing.report import WHOLE_SUITE, TestReport

_NO_FACTS = TreeFacts()


@dataclass(frozen=True)
class TreeKnowledge:
    facts: TreeFacts = _NO_FACTS
    recent: frozenset[str] = frozenset()
    """Paths that the last commits changed."""
    projects: tuple[str, ...] = ()
    """Folders of the projects; tests of different projects never share a cause."""


@dataclass(frozen=True)
class Triage:
    findings: tuple[Finding, ...]
    doubtful: tuple[str, ...]
    """Ids of findings that may be the environment's: one attempt each."""
    left_out: tuple[LeftOut, ...]
    doubts: tuple[LeftOut, ...] = ()


def triage(red: Sequence[str], report: TestReport, known: TreeKnowledge) -> Triage:
    single = [_with_lockfile(_finding(test, report), known.facts) for test in red]
    asked = [RedTest(each.subject, each.message, each.file) for each in single]
    causes = causes_of(asked, known.facts, passed=len(report.passed))
    alike: dict[tuple[str, str], list[Finding]] = {}
    for finding in single:
        if (verdict := causes[finding.subject].verdict) != "environment":
            alike.setdefault((verdict, _project(finding, known.projects)), []).append(finding)
    groups = [group for findings in alike.values() for group in _groups(findings)]
    ordered = sorted(groups, key=lambda each: (not _is_recent(each, known.recent), red.index(each.subject)))
    findings = tuple(replace(finding, id=f"T-{number}") for number, finding in enumerate(ordered, 1))
    doubtful = tuple(each.id for each in findings if causes[each.subject].verdict == "doubtful")
    return Triage(findings, doubtful, left_out_of(causes), left_out_of(causes, "doubtful"))


def _with_lockfile(finding: Finding, facts: TreeFacts) -> Finding:
    """Names the lockfile that the test command calls stale by its path."""
    name = stale_lock(finding.message) if finding.subject.endswith(WHOLE_SUITE) else ""
    if not name:
        return finding
    return replace(finding, file=lock_path(name, facts.paths, posixpath.dirname(finding.subject)))


def _project(finding: Finding, projects: Sequence[str]) -> str:
    return max((folder for folder in projects if is_below(finding.subject, folder)), key=len, default="")


def _groups(findings: Sequence[Finding]) -> Iterable[Finding]:
    for group in grouped(findings, most=len(findings)):
        first, *others = group.findings
        yield replace(first, also=tuple(finding.subject for finding in others))


def _is_recent(finding: Finding, recent: frozenset[str]) -> bool:
    if finding.file in recent:
        return True
    frame = own_frame(finding.message.splitlines())
    return frame is not None and any(frame.path == path or frame.path.endswith(f"/{path}") for path in recent)


def _finding(test: str, report: TestReport) -> Finding:
    return Finding(
        id="",
        source="tests",
        rule="test-failed",
        subject=test,
        file=report.files.get(test, ""),
        message=report.messages.get(test, report.output_tail[-2000:]),
    )
