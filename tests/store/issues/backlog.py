"""Issues for the tests of their store, and short ways to bring them where a test needs them."""

import hashlib

import sqlalchemy as sa

from reknit.core.agents.call import AgentSettings
from reknit.core.finding import Weight
from reknit.core.issues.import_summary import ImportCount, ImportSource
from reknit.core.issues.lifecycle import STATUSES, Status
from reknit.core.issues.model import ChangeNote, Issue, IssueSighting, LocatedResult, NewIssue, ReportResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.runs.ledger import SqlRunLedger
from tests.tools.sample_tasks import FIX_ISSUES

SHOP, OTHER = "github.com/acme/shop", "github.com/acme/other"
NOTE = ChangeNote("ann", "because", 50.0)
COMMIT = "c0ffee"
WAYS: dict[Status, tuple[Status, ...]] = {
    "OPEN": (),
    "IN_PROGRESS": ("IN_PROGRESS",),
    "RESOLVED": ("IN_PROGRESS", "RESOLVED"),
    "FAILED": ("IN_PROGRESS", "FAILED"),
    "MERGED": ("IN_PROGRESS", "RESOLVED", "MERGED"),
    "IGNORED": ("IGNORED",),
    "DUPLICATE": ("DUPLICATE",),
}
"""From OPEN to each status."""
assert set(WAYS) == set(STATUSES)


def digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).digest()


def words(message: str) -> bytes:
    """As long as they are kept: of the words, and of the whole."""
    return digest(message) + digest(message)[:8]


def placed(
    name: str, tool: str = "ruff", *, path: str = "shop/cart.py", line: int = 3, column: int = 5, rule: str = "F401",
    message: str = "unused", weight: Weight = "important", url: str = "", suggestion: str = "", effort: int = 0,
    files: int = 0,
) -> LocatedResult:  # fmt: skip
    """`name` stands for what its lines look like."""
    found = ReportResult(tool, rule, path, line, column, message, weight, suggestion, effort, files, url=url)
    return LocatedResult(found, path, "unused-import", digest(name) * 2, digest(name), words(message))


def new(name: str, one: LocatedResult | None = None, *also: LocatedResult) -> NewIssue:
    return NewIssue(one or placed(name), digest(name).hex(), also)


def report(*tools: str, at: float = 10.0, commit: str = "base") -> ImportSource:
    return ImportSource(tools or ("ruff",), ("report.json",), commit, at, "ann")


def put(
    ledger: SqlIssueLedger, *issues: NewIssue, repository: str = SHOP, source: ImportSource | None = None
) -> list[int]:
    """Imports them and returns their ids."""
    with ledger.importing(repository, source or report()) as going:
        going.add(issues)
        ids = {one.fingerprint: one.id for one in going.find_known([one.result.path for one in issues])}
    return [ids[one.fingerprint] for one in issues]


def again(
    ledger: SqlIssueLedger, *seen: IssueSighting, tools: tuple[str, ...] = ("ruff",), at: float = 20.0
) -> ImportCount:
    """An import of what these tools see, at the commit `later`."""
    with ledger.importing(SHOP, report(*tools, at=at, commit="later")) as going:
        going.record_sightings(seen)
        return going.count()


def read(ledger: SqlIssueLedger, issue: int) -> Issue:
    return ledger.issues([issue])[0]


def bring(ledger: SqlIssueLedger, issue: int, status: Status, run_id: str = "r-1") -> None:
    note = ChangeNote("ann", "because", 50.0, run_id, COMMIT)
    for step in WAYS[status]:
        assert ledger.change([issue], step, note) == (issue,)


def start(engine: sa.Engine, *run_ids: str) -> SqlRunLedger:
    ledger, tests = SqlRunLedger(engine), TestCommand("pytest", ("pytest",), "junit")
    for run_id in run_ids:
        ledger.create(RunSpec(run_id, "/shop", "base", FIX_ISSUES, tests, (AgentSettings("claude", "claude"),)))
    return ledger
