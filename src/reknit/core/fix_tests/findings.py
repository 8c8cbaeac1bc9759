"""Turns red tests into findings: one per cause, without the environment's, those in recently changed files first."""

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reknit.core.causes.cause import LeftOut, list_left_out
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.evidence.failure_groups import find_own_frame, group_failures
from reknit.core.finding import Finding
from reknit.core.gate.stale_lock import find_lock_path, find_stale_lock
from reknit.core.languages.causes import RedTest, find_causes
from reknit.core.repository.paths import is_below
from reknit.core.testing.report import WHOLE_SUITE, TestReport

_NO_FACTS = TreeFacts()


@dataclass(frozen=True)
class TreeKnowledge:
    """Facts about the tree that decide the causes of failures and the order of findings."""

    facts: TreeFacts = _NO_FACTS
    recent: frozenset[str] = frozenset()
    """Paths that the last commits changed."""
    projects: tuple[str, ...] = ()
    """Folders of the projects; tests of different projects never share a cause."""


@dataclass(frozen=True)
class Triage:
    """Red tests, divided by cause."""

    findings: tuple[Finding, ...]
    doubtful: tuple[str, ...]
    """Ids of findings that may be the environment's fault: one attempt each."""
    left_out: tuple[LeftOut, ...]
    doubts: tuple[LeftOut, ...] = ()


def triage(red: Sequence[str], report: TestReport, tree: TreeKnowledge) -> Triage:
    """Divide the red tests into findings and tests that are left out."""
    single = [_add_lockfile(_build_finding(test, report), tree.facts) for test in red]
    red_tests = [RedTest(finding.subject, finding.message, finding.file) for finding in single]
    causes = find_causes(red_tests, tree.facts, passed=len(report.passed))
    findings_by_cause: dict[tuple[str, str], list[Finding]] = {}
    for finding in single:
        if (verdict := causes[finding.subject].verdict) != "environment":
            findings_by_cause.setdefault((verdict, _find_project(finding, tree.projects)), []).append(finding)
    groups = [group for findings in findings_by_cause.values() for group in _group_findings(findings)]
    ordered = sorted(groups, key=lambda finding: (not _is_recent(finding, tree.recent), red.index(finding.subject)))
    findings = tuple(replace(finding, id=f"T-{number}") for number, finding in enumerate(ordered, 1))
    doubtful = tuple(finding.id for finding in findings if causes[finding.subject].verdict == "doubtful")
    return Triage(findings, doubtful, list_left_out(causes), list_left_out(causes, "doubtful"))


def _add_lockfile(finding: Finding, facts: TreeFacts) -> Finding:
    """Add the path of the lockfile that the test command reports as stale."""
    name = find_stale_lock(finding.message) if finding.subject.endswith(WHOLE_SUITE) else ""
    if not name:
        return finding
    return replace(finding, file=find_lock_path(name, facts.paths, posixpath.dirname(finding.subject)))


def _find_project(finding: Finding, projects: Sequence[str]) -> str:
    return max((folder for folder in projects if is_below(finding.subject, folder)), key=len, default="")


def _group_findings(findings: Sequence[Finding]) -> Iterable[Finding]:
    for group in group_failures(findings, most=len(findings)):
        first, *others = group.findings
        yield replace(first, also=tuple(finding.subject for finding in others))


def _is_recent(finding: Finding, recent: frozenset[str]) -> bool:
    if finding.file in recent:
        return True
    frame = find_own_frame(finding.message.splitlines())
    return frame is not None and any(frame.path == path or frame.path.endswith(f"/{path}") for path in recent)


def _build_finding(test: str, report: TestReport) -> Finding:
    return Finding(
        id="",
        source="tests",
        rule="test-failed",
        subject=test,
        file=report.files.get(test, ""),
        message=report.messages.get(test, report.output_tail[-2000:]),
    )
