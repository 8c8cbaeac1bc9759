"""Takes reports into the ledger: read, put into the repository's files, matched with what is known, written at once."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reknit.adapters.vcs.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.app.issues_forge import alerts, threads, threads_tool
from reknit.app.issues_place import Backlog, person
from reknit.app.issues_reading import read_reports
from reknit.app.result_pile import Pile
from reknit.app.working_tree import WorkingTree
from reknit.core.fingerprint import Squeezed, place
from reknit.core.import_report import ImportReport, ReportRead
from reknit.core.issue import ImportSource, Placed
from reknit.core.matching import follow, match
from reknit.ports import IssueImport

RESULTS_AT_ONCE, FILES_AT_ONCE = 20_000, 500


@dataclass(frozen=True)
class Wanted:
    files: tuple[str, ...]
    named: str = ""
    """The format of the files; empty: told by what is in them."""
    root: str = ""
    """The folder that their paths are from, absolute; empty: that of the repository, or here."""
    alerts: bool = False
    threads: tuple[int, ...] = ()
    """Numbers of pull requests."""


def import_reports(installed: Installation, backlog: Backlog, wanted: Wanted) -> ImportReport:
    """All reports are read before anything is written: one that breaks leaves nothing behind."""
    tree = WorkingTree(backlog.repository.root)
    pile = Pile(tree, backlog.folder, wanted.root)
    reports, partly = read_reports(wanted.files, wanted.named, pile)
    reports += _from_forge(installed, backlog, wanted, pile)
    source = ImportSource(
        tools=tuple(dict.fromkeys(tool for report in reports for tool in report.tools)),
        names=tuple(report.name for report in reports),
        commit=backlog.repository.head(),
        at=time.time(),
        who=person(),
        partial=pile.partial(partly),
        landed=backlog.repository.having(backlog.ledger.landed(backlog.key)),
    )
    with backlog.ledger.importing(backlog.key, source) as going:
        renames = _renames(backlog.repository, tree, going.paths())
        followed = sum(new in pile.by_path for new in renames.values())
        for paths in _chunks(pile):
            pile.leave_out("twice", _take(going, tree, pile, paths, renames))
        count = going.count()
    return ImportReport(tuple(reports), count, pile.left_out, followed, tuple(partly.values()))


def _from_forge(installed: Installation, backlog: Backlog, wanted: Wanted, pile: Pile) -> list[ReportRead]:
    reports = []
    if wanted.alerts:
        open_alerts = alerts(installed, backlog)
        tools = tuple(dict.fromkeys(found.tool for found in open_alerts))
        reports.append(ReportRead("code-scanning alerts", tools, pile.put(open_alerts)))
    for number in wanted.threads:
        heard, others = threads(installed, backlog, number)
        pile.leave_out("stranger", others)
        reports.append(ReportRead(f"threads of #{number}", (threads_tool(number),), pile.put(heard) + others))
    return reports


def _renames(repository: UserRepository, tree: WorkingTree, seen: Mapping[str, str]) -> dict[str, str]:
    """Where files went that are gone: old path -> new path. `seen`: path -> the commit it was last seen at."""
    gone = {path: commit for path, commit in seen.items() if not tree.has(path)}
    renames: dict[str, str] = {}
    for commit in dict.fromkeys(gone.values()):
        since = repository.renames(commit)
        renames |= {path: since[path] for path in gone if gone[path] == commit and path in since}
    return renames


def _chunks(pile: Pile) -> Iterator[list[str]]:
    """Some files at a time, so that neither one statement nor the memory holds all of them."""
    paths: list[str] = []
    results = 0
    for path in sorted(pile.by_path):
        paths.append(path)
        results += len(pile.by_path[path])
        if results >= RESULTS_AT_ONCE or len(paths) >= FILES_AT_ONCE:
            yield paths
            paths, results = [], 0
    if paths:
        yield paths


def _take(going: IssueImport, tree: WorkingTree, pile: Pile, paths: Sequence[str], renames: Mapping[str, str]) -> int:
    """How many results the report holds twice."""
    here = frozenset(paths)
    before = [old for old, new in renames.items() if new in here]
    known = follow(going.known([*paths, *before]), renames)
    placed = [one for path in paths for one in _placed(tree, pile, path)]
    matched = match(known, placed)
    going.add(matched.new)
    going.seen(matched.again)
    return matched.repeats


def _placed(tree: WorkingTree, pile: Pile, path: str) -> list[Placed]:
    data = tree.read(path)
    text = Squeezed(data) if data is not None and b"\0" not in data else None
    return [place(found, path, text) for found in pile.by_path.pop(path)]
