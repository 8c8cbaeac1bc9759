"""Keeps the tasks of a plan as issues, so that the run on them and the next one know which are done."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from reknit.app.issues.ledger import RepositoryIssues, local_user
from reknit.app.issues.query import PRESENT
from reknit.app.issues.results_by_file import WorkingTree
from reknit.core.issues.identity.fingerprint import locate_result, normalize_file
from reknit.core.issues.identity.matching import match_results
from reknit.core.issues.import_summary import ImportSource
from reknit.core.issues.lifecycle import STATUSES, TO_DO, Status
from reknit.core.issues.model import Issue, IssueFilter, ReportResult
from reknit.core.planning.tasks import TOOL, TaskWork

CLOSED_STATUSES: tuple[Status, ...] = tuple(status for status in STATUSES if status not in TO_DO)


@dataclass(frozen=True)
class ImportedTasks:
    """The tasks of a plan after their import."""

    issues: tuple[Issue, ...]
    """Issues of the open tasks, in the order of the plan."""
    lost: int
    """Number of tasks that the ledger took for another issue, or whose text it changed."""


def import_tasks(backlog: RepositoryIssues, source: str, works: Sequence[TaskWork]) -> ImportedTasks:
    """Import the open tasks. A resolved or ignored task is not reported again: a second report would reopen it."""
    ledger, repository = backlog.ledger, backlog.repository
    closed_tasks = {
        (issue.path, issue.message) for issue in ledger.each(backlog.key, IssueFilter(CLOSED_STATUSES, (source,)))
    }
    open_works = [work for work in works if (work.path, work.title) not in closed_tasks]
    tree = WorkingTree(repository.root)
    placed = [
        locate_result(_result_from_task(source, work), work.path, normalize_file(tree.read(work.path)))
        for work in open_works
    ]
    import_source = ImportSource((source,), (source,), repository.head(), time.time(), local_user())
    with ledger.importing(backlog.key, import_source) as session:
        matched = match_results(session.find_known(sorted({work.path for work in open_works})), placed)
        session.add(matched.new)
        session.record_sightings(matched.sightings)
    order = {(work.path, work.title): number for number, work in enumerate(open_works)}
    task_filter = IssueFilter(("OPEN", "FAILED"), (source,), baselines=PRESENT)
    issues = [issue for issue in ledger.each(backlog.key, task_filter) if (issue.path, issue.message) in order]
    issues.sort(key=lambda issue: order[issue.path, issue.message])
    return ImportedTasks(tuple(issues), len(order) - len({(issue.path, issue.message) for issue in issues}))


def _result_from_task(source: str, work: TaskWork) -> ReportResult:
    return ReportResult(
        tool=source,
        rule=source.removeprefix(TOOL),
        path=work.path,
        message=work.title,
        suggestion=f"impact: {work.impact}" if work.impact else "",
        effort_1_5=work.effort_1_5,
        files=len(work.files),
    )
