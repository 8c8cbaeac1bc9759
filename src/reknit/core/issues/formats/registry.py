"""The formats of reports: their names, how each is detected from its beginning, and its reader."""

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from reknit.core.issues.formats import (
    agent_report,
    checkstyle,
    eslint,
    json_reports,
    junit,
    mypy,
    pyright,
    rdjson,
    ruff,
    semgrep,
)
from reknit.core.issues.formats.report import Reader, Report, ReportError, quote_start
from reknit.core.issues.formats.sarif import reader as sarif
from reknit.core.issues.model import ReportResult
from reknit.core.text.untrusted_input import Data

_EXCERPT_BYTES = 4096
_CONSOLE_LINES: tuple[tuple[str, str, str], ...] = (
    ("eslint", r"^ +\d+:\d+ +(error|warning) |^\S \d+ problems? \(\d+ errors?, ", "--format json"),
    ("mypy", r"^\S.*?:\d+: (error|note): |^Success: no issues found in |^Found \d+ errors? in \d+ ", "--output json"),
    ("pyright", r"^ *\S+:\d+:\d+ - (error|warning|information): ", "--outputjson"),
    (
        "ruff",
        r"^Found \d+ errors?\.|^All checks passed!$|:\d+: [A-Z]+\d+ \[\*\] |^ +--> \S+:\d+:\d+$",
        "--output-format json",
    ),
    ("pytest", r"^=+ (test session starts|FAILURES|ERRORS|short test summary info) =+$", "--junitxml=report.xml"),
)
_CONSOLE_PATTERNS = tuple((tool, re.compile(pattern, re.MULTILINE), option) for tool, pattern, option in _CONSOLE_LINES)
"""Tool, pattern of a line that it prints for people, and the option that makes it write a report."""


def is_text(head: bytes) -> bool:
    """Return True if it is plain text. A NUL may come from UTF-16 without a byte order mark, so it is not text."""
    return head.lstrip()[:1] not in (b"{", b"[", b"<", b"\0", b"")


def find_printing_tool(head: bytes, tail: bytes) -> tuple[str, str]:
    """Return the tool that printed this text, and the option with which it writes a report; else empty strings."""
    text = b"\n".join((head[:_EXCERPT_BYTES], tail[-_EXCERPT_BYTES:])).decode("utf-8", "replace").replace("\r", "")
    return next(((tool, option) for tool, pattern, option in _CONSOLE_PATTERNS if pattern.search(text)), ("", ""))


Format = Literal[
    "sarif", "junit", "checkstyle", "rdjson", "rdjsonl", "ruff", "eslint", "mypy", "pyright", "semgrep", "reknit"
]
FORMATS: tuple[Format, ...] = get_args(Format)
_FORMATS: Mapping[str, Format] = {name: name for name in FORMATS}

READERS: Mapping[Format, Reader] = {
    "sarif": sarif.read_report,
    "junit": junit.read_report,
    "checkstyle": checkstyle.read_report,
    "rdjson": rdjson.read_report,
    "rdjsonl": rdjson.read_report_lines,
    "ruff": ruff.read_report,
    "eslint": eslint.read_report,
    "mypy": mypy.read_report,
    "pyright": pyright.read_report,
    "semgrep": semgrep.read_report,
    "reknit": agent_report.read_report,
}
HEAD_BYTES = 4096
"""Size of the start of a report that `detect_format` needs, in bytes."""

MAX_TOOLS = 100

_SILENT_WHEN_CLEAN: frozenset[Format] = frozenset({"mypy", "rdjsonl"})
_FORMATS_BY_SUFFIX: Mapping[str, Format] = {
    ".sarif": "sarif",
    ".sarif.json": "sarif",
    ".rdjson": "rdjson",
    ".rdjsonl": "rdjsonl",
}
_ROOT = re.compile(rb"<(testsuites?|checkstyle)[\s>/]")
_KEY = re.compile(rb'"([$\w]{1,40})"\s*:')
_FORMATS_BY_KEYS: tuple[tuple[str, frozenset[bytes], Format], ...] = (
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


def detect_format(name: str, head: bytes) -> Format | None:
    """Detect the format from the file name and the first bytes; None: the user has to name it."""
    for suffix, format_ in _FORMATS_BY_SUFFIX.items():
        if name.lower().endswith(suffix):
            return format_
    text = _to_utf_8(head[:HEAD_BYTES]).lstrip()
    if text.startswith(b"<"):
        root = _ROOT.search(text)
        return None if root is None else "checkstyle" if root[1] == b"checkstyle" else "junit"
    keys = frozenset(_KEY.findall(text))
    formats = (
        format_
        for first, required_keys, format_ in _FORMATS_BY_KEYS
        if text[:1] == first.encode() and required_keys <= keys
    )
    return next(formats, None)


def open_report(data: Data, *, name: str, format_name: str = "") -> Report:
    """Open the report in the file `name`, in the detected format, or else in the one that the user named.

    Any error, now or while it is read, is a ReportError that names the file.
    """
    if format_name and format_name not in FORMATS:
        raise ReportError(f"unknown format {format_name!r}", help=f"Use one of {', '.join(FORMATS)}.")
    if len(data) <= HEAD_BYTES and not _to_utf_8(bytes(data)).strip() and format_name not in _SILENT_WHEN_CLEAN:
        raise ReportError(
            "the report is empty, so the result is unknown",
            where=name,
            help=f"Only {' and '.join(sorted(_SILENT_WHEN_CLEAN))} write nothing if all is well; name it with `--as`.",
        )
    report_format = detect_format(name, bytes(data[:HEAD_BYTES])) or _FORMATS.get(format_name)
    if report_format is None:
        raise _make_unknown_format_error(name, data)
    if is_text(_to_utf_8(bytes(data[:HEAD_BYTES]))):
        raise _add_file_name(name, report_format, _explain_plain_text(data))
    try:
        report = READERS[report_format](data)
    except ReportError as problem:
        error = _add_file_name(name, report_format, problem)
    else:
        if len(report.tools) <= MAX_TOOLS:
            return Report(report.tools, _add_file_name_to_errors(report.results, name, report_format), report.partial)
        error = ReportError(f"the report names {len(report.tools)} tools", where=name)
    raise error  # not where it was caught: its traceback would keep the data, and a mapped file could not be closed


def _make_unknown_format_error(name: str, data: Data) -> ReportError:
    head = _to_utf_8(bytes(data[:HEAD_BYTES]))
    if head.split() in ([b"[]"], [b"[", b"]"]):
        sentence = "an empty list does not show which tool wrote it"
        return ReportError(sentence, where=name, help="`--as ruff` or `--as eslint` names the tool that found nothing.")
    if is_text(head):
        problem = _explain_plain_text(data)
        return ReportError(problem.message, where=name, help=problem.help or f"reknit reads {', '.join(FORMATS)}.")
    if not head.startswith(b"<") and (why := json_reports.find_fault(data)):
        help_ = "Create it again: the tool may have been stopped while writing it."
        return ReportError(f"the report is not valid JSON: {why}", where=name, help=help_)
    sentence = "the report is not in a format that reknit knows"
    return ReportError(sentence, where=name, help=f"Name the format with `--as`: {', '.join(FORMATS)}.")


def _explain_plain_text(data: Data) -> ReportError:
    head = _to_utf_8(bytes(data[:HEAD_BYTES]))
    tool, option = find_printing_tool(head, bytes(data[-HEAD_BYTES:]))
    if tool:
        sentence = f"it looks like the console output of {tool}: {quote_start(head)!r}"
        return ReportError(sentence, help=f"Run it with `{option}` and import that report.")
    return ReportError(f"it is plain text that begins with {quote_start(head)!r}")


def _add_file_name_to_errors(
    results: Iterator[ReportResult], name: str, report_format: Format
) -> Iterator[ReportResult]:
    try:
        yield from results
    except ReportError as problem:
        error = _add_file_name(name, report_format, problem)
    else:
        return
    raise error


def _add_file_name(name: str, report_format: Format, problem: ReportError) -> ReportError:
    sentence = f"the report cannot be used as {report_format}: {problem.message}"
    return ReportError(sentence, where=name, help=problem.help or "Create it again, or name its format with `--as`.")


def _to_utf_8(head: bytes) -> bytes:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "ignore").encode()
    return head.removeprefix(codecs.BOM_UTF8)


@dataclass(frozen=True)
class WholeReport:
    """A whole report as one value, which can be passed between processes."""

    tools: tuple[str, ...]
    results: tuple[ReportResult, ...]
    partial: str


def read_whole_report(data: bytes, name: str, format_name: str) -> WholeReport:
    """Read all results of a report at once."""
    report = open_report(data, name=name, format_name=format_name)
    return WholeReport(report.tools, tuple(report.results), report.partial)
