"""Iterates over the issues of a repository by filter; only some of a million are in memory at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from reknit.app.config.load import load
from reknit.app.installation import Installation
from reknit.app.issues.ledger import RepositoryIssues
from reknit.app.issues.working_tree import WorkingTree
from reknit.core.fix_issues.selection import why_not
from reknit.core.issues.lifecycle import BaselineState, Status
from reknit.core.issues.model import Issue, IssueFilter
from reknit.core.issues.sarif_export import SarifText, rules_of, sarif
from reknit.ports.issues import IssueLedger
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader

MOST_AT_ONCE = 1_000
LINES_AROUND = 3
PRESENT: tuple[BaselineState, ...] = ("new", "unchanged", "updated")
MOST_COUNTED = 5_000
"""Absence has to be read from each row: counting more rows than this takes too long."""
Keeps = Callable[[Issue], bool]


def newest_first(
    place: Installation, backlog: RepositoryIssues, chosen: IssueFilter, *, after: int = 0, at_once: int = MOST_AT_ONCE
) -> Iterator[Issue]:
    keeps = _keeps(place, backlog, chosen)
    while True:
        page = backlog.ledger.page(backlog.key, chosen, after=after, limit=min(at_once, MOST_AT_ONCE))
        yield from filter(keeps, page.issues)
        if not page.after:
            return
        after = page.after


def oldest_first(place: Installation, backlog: RepositoryIssues, chosen: IssueFilter) -> Iterator[Issue]:
    return filter(_keeps(place, backlog, chosen), backlog.ledger.each(backlog.key, chosen))


def as_sarif(place: Installation, backlog: RepositoryIssues, chosen: IssueFilter) -> SarifText:
    """Omits what the tools no longer report, unless asked for: GitHub would show it as a current problem."""
    wanted = replace(chosen, baselines=chosen.baselines or PRESENT)
    keeps = _keeps(place, backlog, chosen)
    every = backlog.ledger.each(backlog.key, IssueFilter(tools=chosen.tools))
    rules = {tool: own for tool, own in rules_of(every).items() if tool in chosen.tools or not chosen.tools}

    def of(tool: str) -> Iterator[Issue]:
        return filter(keeps, backlog.ledger.each(backlog.key, replace(wanted, tools=(tool,))))

    return sarif(rules, of, lambda issue: backlog.ledger.history(issue.id)[-1].note.why)


def excerpt(backlog: RepositoryIssues, issue: Issue) -> list[tuple[int, str]]:
    """Its line in the working tree with some context; empty if there is no such line."""
    tree = WorkingTree(backlog.repository.root)
    data = tree.read(issue.path) if issue.repository == backlog.key and issue.line else None
    lines = data.decode("utf-8", "replace").splitlines() if data else []
    if not data or b"\0" in data or issue.line > len(lines):
        return []
    first = max(issue.line - LINES_AROUND, 1)
    return list(enumerate(lines[first - 1 : issue.line + LINES_AROUND], first))


def why_left_out(backlog: RepositoryIssues, issue: Issue) -> str:
    """Why no run may work on it; empty: one may."""
    return why_not(issue, backlog.repository.tracked()) if issue.repository == backlog.key else ""


def absent_of(ledger: IssueLedger, key: str, statuses: Sequence[Status]) -> int | None:
    """How many issues with these statuses no tool reports any more; None: too many to count."""
    counts = ledger.counts(key)
    if sum(counts.get(status, 0) for status in statuses) > MOST_COUNTED:
        return None
    return sum(1 for _ in ledger.each(key, IssueFilter(statuses=tuple(statuses), baselines=("absent",))))


def run_named(place: Installation, run: str) -> str:
    """The id of the run with that id or prefix. Raises if there is none."""
    database = open_store(place.database)
    try:
        return RunReader(database).run(run).id
    finally:
        database.dispose()


def _keeps(place: Installation, backlog: RepositoryIssues, chosen: IssueFilter) -> Keeps:
    """The repository's settings map extensions to kinds, so the ledger does not know the kind."""
    if not chosen.kinds:
        return lambda _issue: True
    config = load(Path(backlog.repository.root), {}, place.environment)
    return lambda issue: config.kind_of(issue.path) in chosen.kinds
