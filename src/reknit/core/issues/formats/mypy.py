"""Reads what `mypy --output json` prints: one message per line, nothing if there are no errors."""

from collections.abc import Iterator, Mapping

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.formats.bounds import MESSAGE_CHARS, SUGGESTION_CHARS, bounded, counted, path_text, rule_name
from reknit.core.issues.formats.json_reports import each, lines
from reknit.core.issues.formats.report import Report
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data

TOOL = "mypy"
_WEIGHTS: Mapping[str | None, Weight] = {"error": "critical", "warning": "important", "note": "minor"}


class _MypyMessage(msgspec.Struct, gc=False):
    file: str
    message: str
    line: int | None = None
    column: int | None = None
    """0-based."""
    hint: str | None = None
    code: str | None = None
    severity: str | None = None


_ONE = msgspec.json.Decoder(_MypyMessage)


def report(data: Data) -> Report:
    return Report((TOOL,), _found(lines(data)))


def _found(results: list[msgspec.Raw]) -> Iterator[ReportResult]:
    for one in each(_ONE, results):
        yield ReportResult(
            tool=TOOL,
            rule=rule_name(one.code),
            path=path_text(one.file),
            line=counted(one.line),
            column=0 if one.column is None else counted(one.column + 1),
            message=bounded(one.message, MESSAGE_CHARS),
            weight=_WEIGHTS.get(one.severity, "important"),
            suggestion=bounded(one.hint, SUGGESTION_CHARS),
        )
