"""Merges the results of several projects into one report: each test id begins with its project's folder."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.projects.find import find_project
from reknit.core.testing.command import TestCommand, choose_evidence, to_command_line
from reknit.core.testing.report import CheckStatus, TestReport

_WORST_FIRST: tuple[CheckStatus, ...] = ("error", "fail", "pending", "pass")


def to_repository_id(project: TestCommand, test: str) -> str:
    """Return the id of a project's test in the repository."""
    return f"{project.folder}/{test}" if project.folder else test


def to_project_ids(project: TestCommand, tests: Sequence[str], projects: Sequence[TestCommand]) -> tuple[str, ...]:
    """Return the tests of this project, with the ids that its runner uses."""
    prefix = f"{project.folder}/" if project.folder else ""
    return tuple(test.removeprefix(prefix) for test in tests if find_project(test, projects) == project)


def extract_project(project: TestCommand, report: TestReport, projects: Sequence[TestCommand]) -> TestReport:
    """Return the part of the report about this project, with the ids that its runner uses."""
    prefix = f"{project.folder}/" if project.folder else ""
    mine = [test for test in report.results if find_project(test, projects) == project]
    return replace(
        report,
        results={test.removeprefix(prefix): report.results[test] for test in mine},
        messages={test.removeprefix(prefix): report.messages[test] for test in mine if test in report.messages},
        files={
            test.removeprefix(prefix): report.files[test].removeprefix(prefix) for test in mine if test in report.files
        },
    )


def merge_reports(parts: Sequence[tuple[TestCommand, TestReport]]) -> TestReport:
    """Return one report: `pass` only if every project passes, `error` if a project has no result."""
    reports = [_use_repository_ids(project, report) for project, report in parts]
    if len(reports) == 1:
        return reports[0]
    worst = min(reports, key=lambda report: _WORST_FIRST.index(report.status))
    return replace(
        worst,
        evidence=choose_evidence(report.evidence for report in reports),
        results={test: result for report in reports for test, result in report.results.items()},
        messages={test: words for report in reports for test, words in report.messages.items()},
        files={test: file for report in reports for test, file in report.files.items()},
        seconds=sum(report.seconds for report in reports),
        no_result=tuple(
            (to_command_line(project), report.why, report.output_tail)
            for project, report in parts
            if report.status == "error"
        ),
    )


def drop_unseen_projects(report: TestReport) -> TestReport:
    """Drop the projects without a result, if others have one; `no_result` still lists them."""
    if not report.no_result or not report.results:
        return report
    return replace(report, status="fail" if report.failed else "pass", why="")


def filter_selectable(tests: Sequence[str], projects: Sequence[TestCommand]) -> tuple[str, ...]:
    """Return the tests that can be run on their own."""
    return tuple(test for test in tests if (project := find_project(test, projects)) and project.select)


def _use_repository_ids(project: TestCommand, report: TestReport) -> TestReport:
    if not project.folder:
        return report
    return replace(
        report,
        results={to_repository_id(project, test): result for test, result in report.results.items()},
        messages={to_repository_id(project, test): words for test, words in report.messages.items()},
        files={to_repository_id(project, test): f"{project.folder}/{file}" for test, file in report.files.items()},
        why=f"{project.folder}: {report.why}" if report.why else "",
    )
