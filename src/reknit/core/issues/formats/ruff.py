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


_ALL = msgspec.json.Decoder(list[msgspec.Raw])
_ONE = msgspec.json.Decoder(_RuffDiagnostic)
_NO_PLACE = _RuffPosition()


def read_report(data: Data) -> Report:
    """Read one list of diagnostics."""
    return Report((TOOL,), _read_results(decode_document(_ALL, data)))


def _read_results(results: list[msgspec.Raw]) -> Iterator[ReportResult]:
    for one in decode_each(_ONE, results):
        rule, place = choose_rule_name(one.code, SYNTAX), one.location or _NO_PLACE
        yield ReportResult(
            tool=TOOL,
            rule=rule,
            path=check_path(one.filename),
            line=check_position(place.row),
            column=check_position(place.column),
            message=bound_text(one.message, MESSAGE_CHARS),
            weight="critical" if rule == SYNTAX else "important",  # ruff itself calls everything an error
            suggestion=bound_text(one.fix.message, SUGGESTION_CHARS) if one.fix else "",
            url=bound_text(one.url, URL_CHARS),
            fixable=one.fix is not None and one.fix.applicability == "safe",
        )
