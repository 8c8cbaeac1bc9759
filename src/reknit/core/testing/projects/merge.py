"""The results of several projects as one report: each test id begins with the folder of its project."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.testing.command import TestCommand, best_evidence
from reknit.core.testing.command_line import as_typed
from reknit.core.testing.projects.find import project_of
from reknit.core.testing.report import CheckStatus, TestReport

_WORST_FIRST: tuple[CheckStatus, ...] = ("error", "fail", "pending", "pass")


def in_repository(project: TestCommand, test: str) -> str:
    """The id of a test of this project in the repository."""
    return f"{project.folder}/{test}" if project.folder else test


def in_project(project: TestCommand, tests: Sequence[str], projects: Sequence[TestCommand]) -> tuple[str, ...]:
    """Those of the tests that this project has, with the ids its runner uses."""
    prefix = f"{project.folder}/" if project.folder else ""
    return tuple(test.removeprefix(prefix) for test in tests if project_of(test, projects) == project)


def only_of(project: TestCommand, report: TestReport, projects: Sequence[TestCommand]) -> TestReport:
    """What a report of the repository says of this project's tests, with the ids its runner uses."""
    prefix = f"{project.folder}/" if project.folder else ""
    mine = [test for test in report.results if project_of(test, projects) == project]
    return replace(
        report,
        results={test.removeprefix(prefix): report.results[test] for test in mine},
        messages={test.removeprefix(prefix): report.messages[test] for test in mine if test in report.messages},
        files={
            test.removeprefix(prefix): report.files[test].removeprefix(prefix) for test in mine if test in report.files
        },
    )


def merge(parts: Sequence[tuple[TestCommand, TestReport]]) -> TestReport:
    """`pass` only if every project passes; without a result of each project there is none."""
    reports = [_renamed(project, report) for project, report in parts]
    if len(reports) == 1:
        return reports[0]
    worst = min(reports, key=lambda report: _WORST_FIRST.index(report.status))
    return replace(
        worst,
        evidence=best_evidence(report.evidence for report in reports),
        results={test: result for report in reports for test, result in report.results.items()},
        messages={test: words for report in reports for test, words in report.messages.items()},
        files={test: file for report in reports for test, file in report.files.items()},
        seconds=sum(report.seconds for report in reports),
        no_result=tuple(
            (as_typed(project), report.why, report.output_tail) for project, report in parts if report.status == "error"
        ),
    )


def drop_unseen_projects(report: TestReport) -> TestReport:
    """The report without the projects that gave no result, if others did; `no_result` still names them."""
    if not report.no_result or not report.results:
        return report
    return replace(report, status="fail" if report.failed else "pass", why="")


def selectable(tests: Sequence[str], projects: Sequence[TestCommand]) -> tuple[str, ...]:
    """Those that can be run on their own."""
    return tuple(test for test in tests if (project := project_of(test, projects)) and project.select)


def _renamed(project: TestCommand, report: TestReport) -> TestReport:
    if not project.folder:
        return report
    return replace(
        report,
        results={in_repository(project, test): result for test, result in report.results.items()},
        messages={in_repository(project, test): words for test, words in report.messages.items()},
        files={in_repository(project, test): f"{project.folder}/{file}" for test, file in report.files.items()},
        why=f"{project.folder}: {report.why}" if report.why else "",
    )
