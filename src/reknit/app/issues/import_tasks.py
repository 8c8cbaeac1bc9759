"""Keeps the tasks of a plan as issues, so that the run on them and the next one know what is done."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from reknit.app.issues.ledger import RepositoryIssues, person
from reknit.app.issues.query import PRESENT
from reknit.app.issues.working_tree import WorkingTree
from reknit.core.issues.identity.fingerprint import normalized, place
from reknit.core.issues.identity.matching import match
from reknit.core.issues.lifecycle import STATUSES, TO_DO, Status
from reknit.core.issues.model import ImportSource, Issue, IssueFilter, ReportResult
from reknit.core.planning.tasks import TOOL, TaskWork

OVER: tuple[Status, ...] = tuple(status for status in STATUSES if status not in TO_DO)


@dataclass(frozen=True)
class ImportedTasks:
    issues: tuple[Issue, ...]
    """Those that are to do, in the order of the plan."""
    lost: int
    """Tasks that are neither among these nor over: the ledger took them for another issue, or changed their text."""


def import_tasks(backlog: RepositoryIssues, source: str, works: Sequence[TaskWork]) -> ImportedTasks:
    """What a run resolved or a person ignored is not reported again: a second report would reopen it."""
    ledger, repository = backlog.ledger, backlog.repository
    done = {(issue.path, issue.message) for issue in ledger.each(backlog.key, IssueFilter(OVER, (source,)))}
    wanted = [work for work in works if (work.path, work.title) not in done]
    tree = WorkingTree(repository.root)
    placed = [place(_result(source, work), work.path, normalized(tree.read(work.path))) for work in wanted]
    made = ImportSource((source,), (source,), repository.head(), time.time(), person())
    with ledger.importing(backlog.key, made) as going:
        matched = match(going.known(sorted({work.path for work in wanted})), placed)
        going.add(matched.new)
        going.seen(matched.again)
    order = {(work.path, work.title): number for number, work in enumerate(wanted)}
    chosen = IssueFilter(("OPEN", "FAILED"), (source,), baselines=PRESENT)
    found = [issue for issue in ledger.each(backlog.key, chosen) if (issue.path, issue.message) in order]
    found.sort(key=lambda issue: order[issue.path, issue.message])
    return ImportedTasks(tuple(found), len(order) - len({(issue.path, issue.message) for issue in found}))


def _result(source: str, work: TaskWork) -> ReportResult:
    return ReportResult(
        tool=source,
        rule=source.removeprefix(TOOL),
        path=work.path,
        message=work.title,
        suggestion=f"impact: {work.impact}" if work.impact else "",
        effort_1_5=work.effort_1_5,
        files=len(work.files),
    )
