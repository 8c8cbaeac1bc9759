"""Reads what `semgrep scan --json` prints; a scan that failed and found nothing is not a clean report."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.formats.bounds import (
    GIVEN_CHARS,
    MESSAGE_CHARS,
    SNIPPET_CHARS,
    SUGGESTION_CHARS,
    bounded,
    counted,
    path_text,
    rule_name,
)
from reknit.core.issues.formats.json_reports import document, each
from reknit.core.issues.formats.report import Report, ReportProblem
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data

TOOL = "semgrep"
_WITHHELD = "requires login"
"""What semgrep writes in place of text that is reserved for its customers."""
_WEIGHTS: Mapping[str | None, Weight] = {
    "CRITICAL": "critical", "ERROR": "critical", "HIGH": "critical",
    "WARNING": "important", "MEDIUM": "important",
    "INFO": "minor", "LOW": "minor", "INVENTORY": "minor", "EXPERIMENT": "minor",
}  # fmt: skip


class _SemgrepPosition(msgspec.Struct, gc=False):
    line: int | None = None
    col: int | None = None


class _Extra(msgspec.Struct, gc=False):
    message: str | None = None
    severity: str | None = None
    fix: str | None = None
    lines: str | None = None
    fingerprint: str | None = None
    is_ignored: bool | None = None


class _Result(msgspec.Struct, gc=False):
    check_id: str
    path: str
    extra: _Extra
    start: _SemgrepPosition | None = None


class _Error(msgspec.Struct, gc=False):
    level: str | None = None
    message: str | None = None


class _SemgrepDocument(msgspec.Struct, gc=False):
    results: list[msgspec.Raw]
    errors: list[_Error]


_DOCUMENT = msgspec.json.Decoder(_SemgrepDocument)
_ONE = msgspec.json.Decoder(_Result)
_NO_PLACE = _SemgrepPosition()


def report(data: Data) -> Report:
    whole = document(_DOCUMENT, data)
    failures = [bounded(error.message, SNIPPET_CHARS) for error in whole.errors if error.level == "error"]
    if failures and not whole.results:
        raise ReportProblem(f"semgrep failed and found nothing, so the result is unknown: {failures[0]}")
    return Report((TOOL,), _found(whole.results), partial=f"semgrep partly failed: {failures[0]}" if failures else "")


def _found(results: Sequence[msgspec.Raw]) -> Iterator[ReportResult]:
    for one in each(_ONE, results):
        extra, start = one.extra, one.start or _NO_PLACE
        if extra.is_ignored:
            continue
        yield ReportResult(
            tool=TOOL,
            rule=rule_name(one.check_id),
            path=path_text(one.path),
            line=counted(start.line),
            column=counted(start.col),
            message=bounded(extra.message, MESSAGE_CHARS),
            weight=_WEIGHTS.get(extra.severity, "important"),
            suggestion=bounded(extra.fix, SUGGESTION_CHARS),
            snippet=_said(extra.lines, SNIPPET_CHARS),
            given=_said(extra.fingerprint, GIVEN_CHARS),
        )


def _said(text: str | None, limit: int) -> str:
    return "" if text == _WITHHELD else bounded(text, limit)
