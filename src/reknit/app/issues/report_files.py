"""Reads report files, each with the reader for its format, in a process that can be killed."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from reknit.adapters.files.regular_files import read_plain
from reknit.app.issues.results_by_file import ResultsByFile
from reknit.core.errors import UsageProblem
from reknit.core.issues.formats.whole_report import read_report
from reknit.core.issues.import_summary import ReportSummary
from reknit.core.text.work_limits import IMPORT_LIMITS, Unfinished
from reknit.ports.bounded import BoundedCalls

STDIN = "-"
MOST_BYTES = 500_000_000
_OPENED = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Already opened by our caller, such as `<(command)` in a shell: may be a pipe."""


def read_reports(
    files: Sequence[str], named: str, pile: ResultsByFile, calls: BoundedCalls
) -> tuple[list[ReportSummary], dict[tuple[str, ...], str]]:
    """What was read; and for tools that did not look at everything, why."""
    reads: list[ReportSummary] = []
    partly: dict[tuple[str, ...], str] = {}
    for file in files:
        name = "stdin" if file == STDIN else os.fsencode(file).decode(errors="backslashreplace")
        report = calls.run_and_wait(IMPORT_LIMITS, read_report, _data(file), name, named)
        if isinstance(report, Unfinished):
            raise UsageProblem("report", f"reading {name!r} {report.why}", help="Split the report into smaller ones.")
        reads.append(ReportSummary(name, report.tools, pile.put(report.found)))
        partly |= {report.tools: report.partial} if report.partial else {}
    return reads, partly


def _data(file: str) -> bytes:
    try:
        return _opened_before(file) if file == STDIN or file.startswith(_OPENED) else _named(file)
    except OSError as problem:
        raise UsageProblem("report", f"{file!r} cannot be read: {problem.strerror}") from None


def _named(file: str) -> bytes:
    try:
        return read_plain(file, most_bytes=MOST_BYTES)
    except UsageProblem as problem:
        raise UsageProblem("report", problem.what, help="Give a report file, or `-` to read from a pipe.") from None


def _opened_before(file: str) -> bytes:
    number = sys.stdin.fileno() if file in (STDIN, "/dev/stdin") else int(Path(file).name)
    with os.fdopen(os.dup(number), "rb") as stream:
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageProblem("report", f"{file!r} holds more than {MOST_BYTES // 1_000_000} MB")
    return data
