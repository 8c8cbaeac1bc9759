"""The formats a report may have: their names, how each is detected from its beginning, and its reader."""

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import Literal, get_args

from reknit.core.issues.formats import checkstyle, eslint, json_reports, junit, mypy, pyright, rdjson, ruff, semgrep
from reknit.core.issues.formats.agent_report import reader as agent_report
from reknit.core.issues.formats.bounds import first_words
from reknit.core.issues.formats.plain_text import is_text, printed_by
from reknit.core.issues.formats.report import Reader, Report, ReportProblem
from reknit.core.issues.formats.sarif import reader as sarif
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data

Format = Literal[
    "sarif", "junit", "checkstyle", "rdjson", "rdjsonl", "ruff", "eslint", "mypy", "pyright", "semgrep", "reknit"
]
FORMATS: tuple[Format, ...] = get_args(Format)
_FORMATS: Mapping[str, Format] = {name: name for name in FORMATS}

READERS: Mapping[Format, Reader] = {
    "sarif": sarif.report,
    "junit": junit.report,
    "checkstyle": checkstyle.report,
    "rdjson": rdjson.report,
    "rdjsonl": rdjson.report_lines,
    "ruff": ruff.report,
    "eslint": eslint.report,
    "mypy": mypy.report,
    "pyright": pyright.report,
    "semgrep": semgrep.report,
    "reknit": agent_report.report,
}
HEAD_BYTES = 4096
"""How much of a report `guess` needs."""

MOST_TOOLS = 100

_SILENT_WHEN_CLEAN: frozenset[Format] = frozenset({"mypy", "rdjsonl"})
_ENDINGS: Mapping[str, Format] = {
    ".sarif": "sarif",
    ".sarif.json": "sarif",
    ".rdjson": "rdjson",
    ".rdjsonl": "rdjsonl",
}
_ROOT = re.compile(rb"<(testsuites?|checkstyle)[\s>/]")
_KEY = re.compile(rb'"([$\w]{1,40})"\s*:')
_KEYS: tuple[tuple[str, frozenset[bytes], Format], ...] = (
    ("{", frozenset({b"runs", b"version"}), "sarif"),
    ("{", frozenset({b"$schema", b"runs"}), "sarif"),
    ("{", frozenset({b"generalDiagnostics"}), "pyright"),
    ("{", frozenset({b"diagnostics"}), "rdjson"),
    ("{", frozenset({b"results", b"check_id"}), "semgrep"),
    ("{", frozenset({b"results", b"errors", b"paths"}), "semgrep"),
    ("{", frozenset({b"file", b"severity", b"hint"}), "mypy"),
    ("{", frozenset({b"message", b"location", b"path"}), "rdjsonl"),
    ("{", frozenset({b"schema", b"role", b"problem", b"report"}), "reknit"),
    ("[", frozenset({b"filename", b"end_location"}), "ruff"),
    ("[", frozenset({b"filePath", b"messages"}), "eslint"),
)
"""First character of a report, keys near its beginning, its format; the first match wins."""


def guess(name: str, head: bytes) -> Format | None:
    """From the file name and the first bytes; None: the user has to name the format."""
    for ending, format_ in _ENDINGS.items():
        if name.lower().endswith(ending):
            return format_
    text = _utf_8(head[:HEAD_BYTES]).lstrip()
    if text.startswith(b"<"):
        root = _ROOT.search(text)
        return None if root is None else "checkstyle" if root[1] == b"checkstyle" else "junit"
    keys = frozenset(_KEY.findall(text))
    fitting = (format_ for first, needed, format_ in _KEYS if text[:1] == first.encode() and needed <= keys)
    return next(fitting, None)


def open_report(data: Data, *, name: str, named: str = "") -> Report:
    """The report in the file `name`, in the detected format, or else in the one that the user named.

    Any error, now or while it is read, is a ReportProblem that names the file.
    """
    if named and named not in FORMATS:
        raise ReportProblem(f"unknown format {named!r}", help=f"Use one of {', '.join(FORMATS)}.")
    if _is_blank(data) and named not in _SILENT_WHEN_CLEAN:
        raise ReportProblem(
            "the report is empty, so the result is unknown",
            where=name,
            help=f"Only {' and '.join(sorted(_SILENT_WHEN_CLEAN))} write nothing if all is well; name it with `--as`.",
        )
    chosen = guess(name, bytes(data[:HEAD_BYTES])) or _FORMATS.get(named)
    if chosen is None:
        raise _unknown(name, data)
    if is_text(_utf_8(bytes(data[:HEAD_BYTES]))):
        raise _in_file(name, chosen, _text(data))
    try:
        report = READERS[chosen](data)
    except ReportProblem as problem:
        raised = _in_file(name, chosen, problem)
    else:
        if len(report.tools) <= MOST_TOOLS:
            return Report(report.tools, _naming(report.found, name, chosen), report.partial)
        raised = ReportProblem(f"the report names {len(report.tools)} tools", where=name)
    raise raised  # not where it was caught: its traceback would keep the data, and a mapped file could not be closed


def _unknown(name: str, data: Data) -> ReportProblem:
    head = _utf_8(bytes(data[:HEAD_BYTES]))
    if head.split() in ([b"[]"], [b"[", b"]"]):
        what = "an empty list does not show which tool wrote it"
        return ReportProblem(what, where=name, help="`--as ruff` or `--as eslint` names the tool that found nothing.")
    if is_text(head):
        text = _text(data)
        return ReportProblem(text.what, where=name, help=text.help or f"reknit reads {', '.join(FORMATS)}.")
    if not head.startswith(b"<") and (why := json_reports.broken(data)):
        help_ = "Create it again: the tool may have been stopped while writing it."
        return ReportProblem(f"the report is not valid JSON: {why}", where=name, help=help_)
    what = "the report is not in a format that reknit knows"
    return ReportProblem(what, where=name, help=f"Name the format with `--as`: {', '.join(FORMATS)}.")


def _text(data: Data) -> ReportProblem:
    head = _utf_8(bytes(data[:HEAD_BYTES]))
    tool, option = printed_by(head, bytes(data[-HEAD_BYTES:]))
    if tool:
        what = f"it looks like the console output of {tool}: {first_words(head)!r}"
        return ReportProblem(what, help=f"Run it with `{option}` and import that report.")
    return ReportProblem(f"it is plain text that begins with {first_words(head)!r}")


def _naming(found: Iterator[ReportResult], name: str, chosen: Format) -> Iterator[ReportResult]:
    try:
        yield from found
    except ReportProblem as problem:
        raised = _in_file(name, chosen, problem)
    else:
        return
    raise raised


def _in_file(name: str, chosen: Format, problem: ReportProblem) -> ReportProblem:
    what = f"the report cannot be used as {chosen}: {problem.what}"
    return ReportProblem(what, where=name, help=problem.help or "Create it again, or name its format with `--as`.")


def _is_blank(data: Data) -> bool:
    return len(data) <= HEAD_BYTES and not _utf_8(bytes(data)).strip()


def _utf_8(head: bytes) -> bytes:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "ignore").encode()
    return head.removeprefix(codecs.BOM_UTF8)
