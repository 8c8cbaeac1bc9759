"""Reads what `pyright --outputjson` prints."""

from collections.abc import Iterator, Mapping

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.formats.bounds import MESSAGE_CHARS, bounded, counted, path_text, rule_name
from reknit.core.issues.formats.json_reports import document, each
from reknit.core.issues.formats.report import Report, ReportProblem
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data

TOOL = "pyright"
SYNTAX = "syntax"
"""Pyright names no rule for a syntax error."""
_WEIGHTS: Mapping[str | None, Weight] = {"error": "critical", "warning": "important", "information": "minor"}


class _PyrightPosition(msgspec.Struct, gc=False):
    """0-based."""

    line: int
    character: int


class _PyrightRange(msgspec.Struct, gc=False):
    start: _PyrightPosition


class _PyrightDiagnostic(msgspec.Struct, gc=False):
    message: str
    file: str | None = None
    severity: str | None = None
    rule: str | None = None
    range: _PyrightRange | None = None


class _Summary(msgspec.Struct, gc=False, rename="camel"):
    files_analyzed: int


class _PyrightDocument(msgspec.Struct, gc=False, rename="camel"):
    general_diagnostics: list[msgspec.Raw]
    summary: _Summary


_DOCUMENT = msgspec.json.Decoder(_PyrightDocument)
_ONE = msgspec.json.Decoder(_PyrightDiagnostic)


def report(data: Data) -> Report:
    whole = document(_DOCUMENT, data)
    if not whole.summary.files_analyzed and not whole.general_diagnostics:
        raise ReportProblem(
            "pyright checked no files, so the result is unknown", help="Pass it the files or their folder."
        )
    return Report((TOOL,), _found(whole.general_diagnostics))


def _found(results: list[msgspec.Raw]) -> Iterator[ReportResult]:
    for one in each(_ONE, results):
        start = one.range.start if one.range else None
        yield ReportResult(
            tool=TOOL,
            rule=rule_name(one.rule, SYNTAX),
            path=path_text(one.file),
            line=counted(start.line + 1) if start else 0,
            column=counted(start.character + 1) if start else 0,
            message=bounded(one.message, MESSAGE_CHARS),
            weight=_WEIGHTS.get(one.severity, "important"),
        )
