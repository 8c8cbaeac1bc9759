"""Reads what `mypy --output json` prints: one message per line, nothing if there are no errors."""

from collections.abc import Iterator, Mapping

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.formats.json_reports import decode_each, decode_lines
from reknit.core.issues.formats.report import (
    MESSAGE_CHARS,
    SUGGESTION_CHARS,
    Report,
    bound_text,
    check_path,
    check_position,
    choose_rule_name,
)
from reknit.core.issues.model import ReportResult
from reknit.core.text.untrusted_input import Data

TOOL = "mypy"
_WEIGHTS: Mapping[str | None, Weight] = {"error": "critical", "warning": "important", "note": "minor"}


class _MypyMessage(msgspec.Struct, gc=False):
    file: str
    message: str
    line: int | None = None
    column: int | None = None
    """Column, counted from 0."""
    hint: str | None = None
    code: str | None = None
    severity: str | None = None


_MESSAGE = msgspec.json.Decoder(_MypyMessage)


def read_report(data: Data) -> Report:
    """Read a mypy report: one message per line."""
    return Report((TOOL,), _read_results(decode_lines(data)))


def _read_results(results: list[msgspec.Raw]) -> Iterator[ReportResult]:
    for message in decode_each(_MESSAGE, results):
        yield ReportResult(
            tool=TOOL,
            rule=choose_rule_name(message.code),
            path=check_path(message.file),
            line=check_position(message.line),
            column=0 if message.column is None else check_position(message.column + 1),
            message=bound_text(message.message, MESSAGE_CHARS),
            weight=_WEIGHTS.get(message.severity, "important"),
            suggestion=bound_text(message.hint, SUGGESTION_CHARS),
        )
