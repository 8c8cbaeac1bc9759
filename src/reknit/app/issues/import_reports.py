"""Imports reports into the ledger: read, assigned to files, matched with known issues, written in one transaction."""

import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.bounded.calls import ChildCalls
from reknit.adapters.git.plumbing.write_commit import blob_id
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.app.issues.from_forge import alerts, threads, threads_tool
from reknit.app.issues.ledger import RepositoryIssues, person
from reknit.app.issues.report_files import read_reports
from reknit.app.issues.results_by_file import ResultsByFile
from reknit.app.issues.working_tree import WorkingTree
from reknit.core.issues.formats.paths import likely_root
from reknit.core.issues.identity.fingerprint import normalized, place
from reknit.core.issues.identity.matching import follow, match, with_former
from reknit.core.issues.import_summary import ImportReport, ReportSummary, UnknownFiles
from reknit.core.issues.model import ImportSource, LocatedResult
from reknit.ports.issues import IssueImport

RESULTS_AT_ONCE, FILES_AT_ONCE = 20_000, 500


@dataclass(frozen=True)
class ImportRequest:
    files: tuple[str, ...]
    named: str = ""
    """The format of the files; empty: detected from their content."""
    root: str = ""
    """The absolute folder their paths are relative to; empty: the repository's root, or the current folder."""
    alerts: bool = False
    threads: tuple[int, ...] = ()
    """Pull request numbers."""


def import_reports(installed: Installation, backlog: RepositoryIssues, wanted: ImportRequest) -> ImportReport:
    """All reports are read before anything is written: a broken one leaves nothing behind."""
    repository, ledger = backlog.repository, backlog.ledger
    tree = WorkingTree(repository.root)
    pile = ResultsByFile(tree, backlog.folder, wanted.root)
    with closing(ChildCalls()) as calls:
        reports, partly = read_reports(wanted.files, wanted.named, pile, calls)
    reports += _from_forge(installed, backlog, wanted, pile)
    resolved, not_here = ledger.resolved(backlog.key), _not_here(backlog, pile)
    landed = repository.in_head_history(list(resolved))
    source = ImportSource(
        tools=tuple(dict.fromkeys(tool for report in reports for tool in report.tools)),
        names=tuple(report.name for report in reports),
        commit=repository.head(),
        at=time.time(),
        who=person(),
        partial=pile.partial(partly),
        landed=landed,
        carried=repository.unchanged_since({commit: resolved[commit] for commit in resolved if commit not in landed}),
    )
    with ledger.importing(backlog.key, source) as going:
        renames = _renames(repository, tree, going.paths(), pile)
        followed = sum(new in pile.by_path for new in renames.values())
        for paths in _chunks(pile):
            pile.leave_out("twice", _take(going, tree, pile, paths, renames))
        count, absent = going.count(), tuple(going.absent())
    return ImportReport(tuple(reports), count, pile.left_out, followed, tuple(partly.values()), absent, not_here)


def _from_forge(
    installed: Installation, backlog: RepositoryIssues, wanted: ImportRequest, pile: ResultsByFile
) -> list[ReportSummary]:
    reports = []
    if wanted.alerts:
        open_alerts = alerts(installed, backlog)
        tools = tuple(dict.fromkeys(found.tool for found in open_alerts))
        reports.append(ReportSummary("code-scanning alerts", tools, pile.put(open_alerts)))
    for number in wanted.threads:
        heard, others = threads(installed, backlog, number)
        pile.leave_out("stranger", others)
        reports.append(ReportSummary(f"threads of #{number}", (threads_tool(number),), pile.put(heard) + others))
    return reports


def _not_here(backlog: RepositoryIssues, pile: ResultsByFile) -> UnknownFiles | None:
    lost = pile.not_here()
    if not lost:
        return None
    some = sorted(lost)[:FILES_AT_ONCE]
    inside = likely_root(some, backlog.repository.tracked())
    root = os.path.relpath(Path(backlog.repository.root).resolve() / inside, backlog.folder) if inside else ""
    return UnknownFiles(sum(lost.values()), len(lost), some[0], root)


def _renames(
    repository: UserRepository, tree: WorkingTree, seen: Mapping[str, str], pile: ResultsByFile
) -> dict[str, str]:
    """New paths of files that were moved: old path -> new path. `seen`: path -> the commit it was last seen at."""
    gone = {path: commit for path, commit in seen.items() if not tree.has(path)}
    renames: dict[str, str] = {}
    for commit in dict.fromkeys(gone.values()):
        since = repository.renames(commit)
        renames |= {path: since[path] for path in gone if gone[path] == commit and path in since}
    return renames | _moved(repository, tree, [path for path in gone if path not in renames], pile)


def _moved(repository: UserRepository, tree: WorkingTree, gone: Sequence[str], pile: ResultsByFile) -> dict[str, str]:
    """Moves that git does not know yet, found by identical content; content that several files share proves nothing."""
    before = repository.blobs(gone)
    if not before:
        return {}
    after: dict[str, list[str]] = {}
    for path in [path for path in repository.untracked() if path in pile.by_path][:FILES_AT_ONCE]:
        content = tree.read(path)
        if content is not None:
            after.setdefault(blob_id(content), []).append(path)
    times = Counter(before.values())
    pairs = ((path, after.get(blob, ())) for path, blob in before.items() if times[blob] == 1)
    return {path: new[0] for path, new in pairs if len(new) == 1}


def _chunks(pile: ResultsByFile) -> Iterator[list[str]]:
    """A few files at a time, so that neither a statement nor memory has to hold all of them."""
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


def _take(
    going: IssueImport, tree: WorkingTree, pile: ResultsByFile, paths: Sequence[str], renames: Mapping[str, str]
) -> int:
    """Returns how many results the reports contain twice."""
    known = follow(going.known(with_former(paths, renames)), renames)
    placed = [one for path in paths for one in _placed(tree, pile, path)]
    matched = match(known, placed)
    going.add(matched.new)
    going.seen(matched.again)
    return matched.repeats


def _placed(tree: WorkingTree, pile: ResultsByFile, path: str) -> list[LocatedResult]:
    text = normalized(tree.read(path))
    return [place(found, path, text) for found in pile.by_path.pop(path)]
