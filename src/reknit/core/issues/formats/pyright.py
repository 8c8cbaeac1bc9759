"""Reads what `pyright --outputjson` prints."""

from collections.abc import Iterator, Mapping

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.formats.json_reports import decode_document, decode_each
from reknit.core.issues.formats.report import (
    MESSAGE_CHARS,
    Report,
    ReportError,
    bound_text,
    check_path,
    check_position,
    choose_rule_name,
)
from reknit.core.issues.model import ReportResult
from reknit.core.text.untrusted_input import Data

TOOL = "pyright"
SYNTAX = "syntax"
"""Rule for a syntax error, for which pyright names none."""
_WEIGHTS: Mapping[str | None, Weight] = {"error": "critical", "warning": "important", "information": "minor"}


class _PyrightPosition(msgspec.Struct, gc=False):
    """A position, counted from 0."""

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
_DIAGNOSTIC = msgspec.json.Decoder(_PyrightDiagnostic)


def read_report(data: Data) -> Report:
    """Read a pyright document; a run that checked no file is unusable."""
    document = decode_document(_DOCUMENT, data)
    if not document.summary.files_analyzed and not document.general_diagnostics:
        raise ReportError(
            "pyright checked no files, so the result is unknown", help="Pass it the files or their folder."
        )
    return Report((TOOL,), _read_results(document.general_diagnostics))


def _read_results(results: list[msgspec.Raw]) -> Iterator[ReportResult]:
    for diagnostic in decode_each(_DIAGNOSTIC, results):
        start = diagnostic.range.start if diagnostic.range else None
        yield ReportResult(
            tool=TOOL,
            rule=choose_rule_name(diagnostic.rule, SYNTAX),
            path=check_path(diagnostic.file),
            line=check_position(start.line + 1) if start else 0,
            column=check_position(start.character + 1) if start else 0,
            message=bound_text(diagnostic.message, MESSAGE_CHARS),
            weight=_WEIGHTS.get(diagnostic.severity, "important"),
        )
