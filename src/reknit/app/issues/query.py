"""Reads the issues of a repository by filter. Only some of a million are in memory at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from reknit.app.config.load import load
from reknit.app.installation import Installation
from reknit.app.issues.ledger import RepositoryIssues
from reknit.app.issues.results_by_file import WorkingTree
from reknit.core.fix_issues.selection import explain_exclusion
from reknit.core.issues.lifecycle import BaselineState, Status
from reknit.core.issues.model import Issue, IssueFilter
from reknit.core.issues.sarif_export import SarifText, collect_rules, write_sarif
from reknit.ports.issues import IssueLedger
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader

MAX_PAGE_ISSUES = 1_000
LINES_AROUND = 3
PRESENT: tuple[BaselineState, ...] = ("new", "unchanged", "updated")
MAX_COUNTED_ISSUES = 5_000
"""Maximum rows for counting absent issues: absence has to be read from each row."""
Keeps = Callable[[Issue], bool]


def list_newest_first(
    installation: Installation,
    backlog: RepositoryIssues,
    issue_filter: IssueFilter,
    *,
    after: int = 0,
    at_once: int = MAX_PAGE_ISSUES,
) -> Iterator[Issue]:
    """List issues page by page, newest first."""
    keeps = _make_kind_filter(installation, backlog, issue_filter)
    while True:
        page = backlog.ledger.page(backlog.key, issue_filter, after=after, limit=min(at_once, MAX_PAGE_ISSUES))
        yield from filter(keeps, page.issues)
        if not page.after:
            return
        after = page.after


def list_oldest_first(
    installation: Installation, backlog: RepositoryIssues, issue_filter: IssueFilter
) -> Iterator[Issue]:
    """List issues, oldest first."""
    return filter(
        _make_kind_filter(installation, backlog, issue_filter), backlog.ledger.each(backlog.key, issue_filter)
    )


def export_sarif(installation: Installation, backlog: RepositoryIssues, issue_filter: IssueFilter) -> SarifText:
    """Export issues as SARIF.

    Issues that the tools no longer report are omitted, unless the filter includes them: GitHub would show them as
    current.
    """
    exported_filter = replace(issue_filter, baselines=issue_filter.baselines or PRESENT)
    keeps = _make_kind_filter(installation, backlog, issue_filter)
    every = backlog.ledger.each(backlog.key, IssueFilter(tools=issue_filter.tools))
    rules = {
        tool: own for tool, own in collect_rules(every).items() if tool in issue_filter.tools or not issue_filter.tools
    }

    def list_issues(tool: str) -> Iterator[Issue]:
        return filter(keeps, backlog.ledger.each(backlog.key, replace(exported_filter, tools=(tool,))))

    return write_sarif(rules, list_issues, lambda issue: backlog.ledger.history(issue.id)[-1].note.why)


def read_excerpt(backlog: RepositoryIssues, issue: Issue) -> list[tuple[int, str]]:
    """Return the issue's line in the working tree with some context; nothing if there is no such line."""
    tree = WorkingTree(backlog.repository.root)
    data = tree.read(issue.path) if issue.repository == backlog.key and issue.line else None
    lines = data.decode("utf-8", "replace").splitlines() if data else []
    if not data or b"\0" in data or issue.line > len(lines):
        return []
    first = max(issue.line - LINES_AROUND, 1)
    return list(enumerate(lines[first - 1 : issue.line + LINES_AROUND], first))


def exclusion_reason(backlog: RepositoryIssues, issue: Issue) -> str:
    """Return the reason why no run may work on the issue; empty if one may."""
    return explain_exclusion(issue, backlog.repository.tracked()) if issue.repository == backlog.key else ""


def count_absent(ledger: IssueLedger, key: str, statuses: Sequence[Status]) -> int | None:
    """Count the issues with these statuses that no tool reports any more; None if there are too many to count."""
    counts = ledger.counts(key)
    if sum(counts.get(status, 0) for status in statuses) > MAX_COUNTED_ISSUES:
        return None
    return sum(1 for _ in ledger.each(key, IssueFilter(statuses=tuple(statuses), baselines=("absent",))))


def resolve_run_id(installation: Installation, run: str) -> str:
    """Return the id of the run with that id or prefix. Raise if there is none."""
    database = open_store(installation.database)
    try:
        return RunReader(database).run(run).id
    finally:
        database.dispose()


def _make_kind_filter(installation: Installation, backlog: RepositoryIssues, issue_filter: IssueFilter) -> Keeps:
    """Return a filter by kind. The settings map extensions to kinds, so the ledger does not know the kind."""
    if not issue_filter.kinds:
        return lambda _issue: True
    config = load(Path(backlog.repository.root), {}, installation.environment)
    return lambda issue: config.kind_of(issue.path) in issue_filter.kinds
