"""Imports reports into the ledger: read, assigned to files, matched with known issues, written in one transaction."""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.bounded.calls import ChildCalls
from reknit.adapters.files.regular_files import read_plain
from reknit.adapters.git.plumbing.write_commit import blob_id
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.app.issues.from_forge import fetch_alerts, fetch_threads, threads_tool_name
from reknit.app.issues.ledger import RepositoryIssues, local_user
from reknit.app.issues.results_by_file import ResultsByFile, WorkingTree
from reknit.core.errors import UsageError
from reknit.core.issues.formats.paths import find_likely_root
from reknit.core.issues.formats.registry import read_whole_report
from reknit.core.issues.identity.fingerprint import locate_result, normalize_file
from reknit.core.issues.identity.matching import add_former_paths, follow_renames, match_results
from reknit.core.issues.import_summary import ImportReport, ImportSource, ReportSummary, UnknownFiles
from reknit.core.issues.model import LocatedResult
from reknit.core.text.untrusted_input import IMPORT_LIMITS, UnfinishedWork
from reknit.ports.box import BoundedCalls
from reknit.ports.issues import IssueImport

STDIN = "-"
MAX_REPORT_BYTES = 500_000_000
_OPENED = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Files that our caller has opened, such as `<(command)` in a shell. They may be pipes."""


def read_reports(
    files: Sequence[str], format_name: str, pile: ResultsByFile, calls: BoundedCalls
) -> tuple[list[ReportSummary], dict[tuple[str, ...], str]]:
    """Read the reports. Also return the tools that did not look at everything, each with the reason."""
    reads: list[ReportSummary] = []
    partly: dict[tuple[str, ...], str] = {}
    for file in files:
        name = "stdin" if file == STDIN else os.fsencode(file).decode(errors="backslashreplace")
        report = calls.run_and_wait(IMPORT_LIMITS, read_whole_report, _read_input(file), name, format_name)
        if isinstance(report, UnfinishedWork):
            raise UsageError("report", f"reading {name!r} {report.why}", help="Split the report into smaller ones.")
        reads.append(ReportSummary(name, report.tools, pile.add(report.results)))
        partly |= {report.tools: report.partial} if report.partial else {}
    return reads, partly


def _read_input(file: str) -> bytes:
    try:
        return _read_descriptor(file) if file == STDIN or file.startswith(_OPENED) else _read_file(file)
    except OSError as problem:
        raise UsageError("report", f"{file!r} cannot be read: {problem.strerror}") from None


def _read_file(file: str) -> bytes:
    try:
        return read_plain(file, most_bytes=MAX_REPORT_BYTES)
    except UsageError as problem:
        raise UsageError("report", problem.message, help="Give a report file, or `-` to read from a pipe.") from None


def _read_descriptor(file: str) -> bytes:
    number = sys.stdin.fileno() if file in (STDIN, "/dev/stdin") else int(Path(file).name)
    with os.fdopen(os.dup(number), "rb") as stream:
        data = stream.read(MAX_REPORT_BYTES + 1)
    if len(data) > MAX_REPORT_BYTES:
        raise UsageError("report", f"{file!r} holds more than {MAX_REPORT_BYTES // 1_000_000} MB")
    return data


RESULTS_AT_ONCE, FILES_AT_ONCE = 20_000, 500


@dataclass(frozen=True)
class ImportRequest:
    """The reports that a person wants to import."""

    files: tuple[str, ...]
    format_name: str = ""
    """The format of the files; empty: detected from their content."""
    root: str = ""
    """The absolute folder their paths are relative to; empty: the repository's root, or the current folder."""
    alerts: bool = False
    threads: tuple[int, ...] = ()
    """Pull request numbers."""


def import_reports(installed: Installation, backlog: RepositoryIssues, request: ImportRequest) -> ImportReport:
    """Import all reports. All are read before anything is written, so a broken one leaves nothing behind."""
    repository, ledger = backlog.repository, backlog.ledger
    tree = WorkingTree(repository.root)
    pile = ResultsByFile(tree, backlog.folder, request.root)
    with closing(ChildCalls()) as calls:
        reports, partly = read_reports(request.files, request.format_name, pile, calls)
    reports += _import_from_forge(installed, backlog, request, pile)
    resolved, not_here = ledger.unmerged_files(backlog.key), _find_unknown_files(backlog, pile)
    landed = repository.in_head_history(list(resolved))
    source = ImportSource(
        tools=tuple(dict.fromkeys(tool for report in reports for tool in report.tools)),
        names=tuple(report.name for report in reports),
        commit=repository.head(),
        at=time.time(),
        author=local_user(),
        partial=pile.partial_tools(partly),
        landed=landed,
        carried=repository.unchanged_since({commit: resolved[commit] for commit in resolved if commit not in landed}),
    )
    with ledger.importing(backlog.key, source) as session:
        renames = _find_renames(repository, tree, session.paths(), pile)
        followed = sum(new in pile.by_path for new in renames.values())
        for paths in _split_paths(pile):
            pile.skip("twice", _store_results(session, tree, pile, paths, renames))
        count, absent = session.count(), tuple(session.mark_absent())
    return ImportReport(tuple(reports), count, pile.skipped, followed, tuple(partly.values()), absent, not_here)


def _import_from_forge(
    installed: Installation, backlog: RepositoryIssues, request: ImportRequest, pile: ResultsByFile
) -> list[ReportSummary]:
    reports = []
    if request.alerts:
        open_alerts = fetch_alerts(installed, backlog)
        tools = tuple(dict.fromkeys(alert.tool for alert in open_alerts))
        reports.append(ReportSummary("code-scanning alerts", tools, pile.add(open_alerts)))
    for number in request.threads:
        results, skipped_count = fetch_threads(installed, backlog, number)
        pile.skip("stranger", skipped_count)
        reports.append(
            ReportSummary(f"threads of #{number}", (threads_tool_name(number),), pile.add(results) + skipped_count)
        )
    return reports


def _find_unknown_files(backlog: RepositoryIssues, pile: ResultsByFile) -> UnknownFiles | None:
    lost = pile.count_missing_files()
    if not lost:
        return None
    some = sorted(lost)[:FILES_AT_ONCE]
    inside = find_likely_root(some, backlog.repository.tracked())
    root = os.path.relpath(Path(backlog.repository.root).resolve() / inside, backlog.folder) if inside else ""
    return UnknownFiles(sum(lost.values()), len(lost), some[0], root)


def _find_renames(
    repository: UserRepository, tree: WorkingTree, last_commits: Mapping[str, str], pile: ResultsByFile
) -> dict[str, str]:
    """Return the new path of each file that was moved, by its old path.

    `last_commits`: the commit at which each path was last seen.
    """
    missing_files = {path: commit for path, commit in last_commits.items() if not tree.exists(path)}
    renames: dict[str, str] = {}
    for commit in dict.fromkeys(missing_files.values()):
        since = repository.renames(commit)
        renames |= {path: since[path] for path in missing_files if missing_files[path] == commit and path in since}
    return renames | _find_moves(repository, tree, [path for path in missing_files if path not in renames], pile)


def _find_moves(
    repository: UserRepository, tree: WorkingTree, missing_paths: Sequence[str], pile: ResultsByFile
) -> dict[str, str]:
    """Find moves that git does not know yet, by identical content.

    Content that several files share proves nothing.
    """
    before = repository.blobs(missing_paths)
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


def _split_paths(pile: ResultsByFile) -> Iterator[list[str]]:
    """Yield a few files at a time, so that neither a statement nor memory has to hold all of them."""
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


def _store_results(
    session: IssueImport, tree: WorkingTree, pile: ResultsByFile, paths: Sequence[str], renames: Mapping[str, str]
) -> int:
    """Store the results of these files. Return how many results the reports contain twice."""
    known_issues = follow_renames(session.find_known(add_former_paths(paths, renames)), renames)
    placed = [one for path in paths for one in _locate_results(tree, pile, path)]
    matched = match_results(known_issues, placed)
    session.add(matched.new)
    session.record_sightings(matched.sightings)
    return matched.repeat_count


def _locate_results(tree: WorkingTree, pile: ResultsByFile, path: str) -> list[LocatedResult]:
    text = normalize_file(tree.read(path))
    return [locate_result(result, path, text) for result in pile.by_path.pop(path)]
