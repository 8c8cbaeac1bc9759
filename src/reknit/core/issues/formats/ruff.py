"""Reads what `ruff check --output-format json` prints."""

from collections.abc import Iterator

import msgspec

from reknit.core.issues.formats.bounds import (
    MESSAGE_CHARS,
    SUGGESTION_CHARS,
    URL_CHARS,
    bounded,
    counted,
    path_text,
    rule_name,
)
from reknit.core.issues.formats.json_reports import document, each
from reknit.core.issues.formats.report import Report
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data

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


def report(data: Data) -> Report:
    return Report((TOOL,), _found(document(_ALL, data)))


def _found(results: list[msgspec.Raw]) -> Iterator[ReportResult]:
    for one in each(_ONE, results):
        rule, place = rule_name(one.code, SYNTAX), one.location or _NO_PLACE
        yield ReportResult(
            tool=TOOL,
            rule=rule,
            path=path_text(one.filename),
            line=counted(place.row),
            column=counted(place.column),
            message=bounded(one.message, MESSAGE_CHARS),
            weight="critical" if rule == SYNTAX else "important",  # ruff itself calls everything an error
            suggestion=bounded(one.fix.message, SUGGESTION_CHARS) if one.fix else "",
            url=bounded(one.url, URL_CHARS),
            fixable=one.fix is not None and one.fix.applicability == "safe",
        )
