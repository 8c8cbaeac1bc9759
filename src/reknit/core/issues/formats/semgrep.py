"""Reads what `semgrep scan --json` prints."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.formats.json_reports import decode_document, decode_each
from reknit.core.issues.formats.report import (
    FINGERPRINT_CHARS,
    MESSAGE_CHARS,
    SNIPPET_CHARS,
    SUGGESTION_CHARS,
    Report,
    ReportError,
    bound_text,
    check_path,
    check_position,
    choose_rule_name,
)
from reknit.core.issues.model import ReportResult
from reknit.core.text.untrusted_input import Data

TOOL = "semgrep"
_WITHHELD = "requires login"
"""Text that semgrep writes in place of text reserved for its customers."""
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
_RESULT = msgspec.json.Decoder(_Result)
_NO_POSITION = _SemgrepPosition()


def read_report(data: Data) -> Report:
    """Read a semgrep document. A scan that failed and found nothing is unusable, not clean."""
    document = decode_document(_DOCUMENT, data)
    failures = [bound_text(error.message, SNIPPET_CHARS) for error in document.errors if error.level == "error"]
    if failures and not document.results:
        raise ReportError(f"semgrep failed and found nothing, so the result is unknown: {failures[0]}")
    return Report(
        (TOOL,), _read_results(document.results), partial=f"semgrep partly failed: {failures[0]}" if failures else ""
    )


def _read_results(results: Sequence[msgspec.Raw]) -> Iterator[ReportResult]:
    for result in decode_each(_RESULT, results):
        extra, start = result.extra, result.start or _NO_POSITION
        if extra.is_ignored:
            continue
        yield ReportResult(
            tool=TOOL,
            rule=choose_rule_name(result.check_id),
            path=check_path(result.path),
            line=check_position(start.line),
            column=check_position(start.col),
            message=bound_text(extra.message, MESSAGE_CHARS),
            weight=_WEIGHTS.get(extra.severity, "important"),
            suggestion=bound_text(extra.fix, SUGGESTION_CHARS),
            snippet=_read_text(extra.lines, SNIPPET_CHARS),
            fingerprint=_read_text(extra.fingerprint, FINGERPRINT_CHARS),
        )


def _read_text(text: str | None, limit: int) -> str:
    return "" if text == _WITHHELD else bound_text(text, limit)
