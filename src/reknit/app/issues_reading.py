"""Reads report files, mapped into memory rather than loaded, each by the reader of its format."""

import mmap
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from reknit.app.result_pile import Pile
from reknit.core.errors import UsageProblem
from reknit.core.import_report import ReportRead
from reknit.core.parsers.report import Data
from reknit.core.parsers.report_format import open_report

STDIN = "-"


def read_reports(files: Sequence[str], named: str, pile: Pile) -> tuple[list[ReportRead], dict[tuple[str, ...], str]]:
    """What was read; and of tools that did not look at everything, why."""
    reads: list[ReportRead] = []
    partly: dict[tuple[str, ...], str] = {}
    for file in files:
        name = "stdin" if file == STDIN else file
        with _data(file) as data:
            report = open_report(data, name=name, named=named)
            reads.append(ReportRead(name, report.tools, pile.put(report.found)))
        partly |= {report.tools: report.partial} if report.partial else {}
    return reads, partly


@contextmanager
def _data(file: str) -> Iterator[Data]:
    if file == STDIN:
        yield sys.stdin.buffer.read()
        return
    try:
        with Path(file).open("rb") as opened:
            data = _mapped(opened)
    except OSError as problem:
        raise UsageProblem("report", f"{file!r} cannot be read: {problem.strerror}") from None
    if isinstance(data, bytes):
        yield data
        return
    with data, memoryview(data) as view:
        yield view


def _mapped(opened: BinaryIO) -> mmap.mmap | bytes:
    if stat.S_ISREG(os.fstat(opened.fileno()).st_mode) and os.fstat(opened.fileno()).st_size:
        return mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    if stat.S_ISCHR(os.fstat(opened.fileno()).st_mode):
        raise UsageProblem("report", f"{opened.name!r} is a device, not a report")
    return opened.read()  # a pipe, or nothing at all
