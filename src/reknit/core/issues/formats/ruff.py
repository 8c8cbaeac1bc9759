"""Reads what `ruff check --output-format json` prints."""

from collections.abc import Iterator

import msgspec

from reknit.core.issues.formats.json_reports import decode_document, decode_each
from reknit.core.issues.formats.report import (
    MESSAGE_CHARS,
    SUGGESTION_CHARS,
    URL_CHARS,
    Report,
    bound_text,
    check_path,
    check_position,
    choose_rule_name,
)
from reknit.core.issues.model import ReportResult
from reknit.core.text.untrusted_input import Data

TOOL = "ruff"
SYNTAX = "invalid-syntax"


class _RuffPosition(msgspec.Struct, gc=False):
    row: int | None = None
    column: int | None = None


class _Fix(msgspec.Struct, gc=False):
    message: str | None = None
    applicability: str | None = None


class _RuffDiagnostic(msgspec.Struct, gc=False):
    filename: str
    message: str
    code: str | None = None
    location: _RuffPosition | None = None
    fix: _Fix | None = None
    url: str | None = None


_DOCUMENT = msgspec.json.Decoder(list[msgspec.Raw])
_DIAGNOSTIC = msgspec.json.Decoder(_RuffDiagnostic)
_NO_POSITION = _RuffPosition()


def read_report(data: Data) -> Report:
    """Read a ruff document: a list of diagnostics."""
    return Report((TOOL,), _read_results(decode_document(_DOCUMENT, data)))


def _read_results(results: list[msgspec.Raw]) -> Iterator[ReportResult]:
    for diagnostic in decode_each(_DIAGNOSTIC, results):
        rule, position = choose_rule_name(diagnostic.code, SYNTAX), diagnostic.location or _NO_POSITION
        yield ReportResult(
            tool=TOOL,
            rule=rule,
            path=check_path(diagnostic.filename),
            line=check_position(position.row),
            column=check_position(position.column),
            message=bound_text(diagnostic.message, MESSAGE_CHARS),
            weight="critical" if rule == SYNTAX else "important",  # ruff itself calls everything an error
            suggestion=bound_text(diagnostic.fix.message, SUGGESTION_CHARS) if diagnostic.fix else "",
            url=bound_text(diagnostic.url, URL_CHARS),
            fixable=diagnostic.fix is not None and diagnostic.fix.applicability == "safe",
        )
