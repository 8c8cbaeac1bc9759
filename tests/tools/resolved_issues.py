"""Issues that a run has resolved by a commit, in the ledger of an installation."""

from collections.abc import Sequence

from reknit.core.issues.import_summary import ImportSource
from reknit.core.issues.model import ChangeNote, Issue, IssueFilter, LocatedResult, NewIssue, ReportResult
from reknit.store.issues.ledger import SqlIssueLedger

RUN = "r-1"


def resolve(ledger: SqlIssueLedger, repository: str, commit: str, *lines: int, at: float = 3.0) -> tuple[int, ...]:
    """A new issue for each of these lines, resolved by that commit."""
    source = ImportSource(("ruff",), ("report.json",), "b" * 40, 1.0, "dev")
    with ledger.importing(repository, source) as importing:
        importing.add([_new(f"{commit[:8]}{line:024x}", line) for line in lines])
    page = ledger.page(repository, IssueFilter(statuses=("OPEN",)))
    ids = tuple(sorted(issue.id for issue in page.issues))
    ledger.take(RUN, ids, ChangeNote("reknit", "a run works on it", 2.0))
    return ledger.settle(RUN, ids, "RESOLVED", ChangeNote("reknit", "it is in the commit", at, commit=commit))


def statuses(ledger: SqlIssueLedger, ids: Sequence[int]) -> list[tuple[str, str]]:
    """(status, pull request) of each."""
    found: tuple[Issue, ...] = ledger.issues(ids)
    return [(issue.status, issue.pull) for issue in found]


def _new(fingerprint: str, line: int) -> NewIssue:
    found = ReportResult("ruff", "F401", "a.py", line, message="unused")
    mark = line.to_bytes(16, "big")
    return NewIssue(LocatedResult(found, "a.py", "unused-import", mark, mark, mark), fingerprint)
