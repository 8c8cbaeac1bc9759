"""Reads reviewdog's diagnostics: rdjson, one document, and rdjsonl, one diagnostic per line."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.formats.json_reports import decode_document, decode_each, decode_lines
from reknit.core.issues.formats.report import (
    MESSAGE_CHARS,
    SUGGESTION_CHARS,
    TOOL_CHARS,
    URL_CHARS,
    Report,
    ReportError,
    bound_text,
    check_path,
    check_position,
    choose_rule_name,
)
from reknit.core.issues.model import ReportResult
from reknit.core.text.untrusted_input import Data

UNNAMED_TOOL = "reviewdog"
_WEIGHTS: Mapping[str | int | None, Weight] = {
    "ERROR": "critical", 1: "critical",
    "WARNING": "important", 2: "important",
    "INFO": "minor", 3: "minor",
}  # fmt: skip


class _RdjsonPart(msgspec.Struct, gc=False):
    """Any part of a document. There may be a million, so the garbage collector skips them."""


class _Source(_RdjsonPart):
    name: str | None = None


class _RdjsonPosition(_RdjsonPart):
    line: int | None = None
    column: int | None = None


class _RdjsonRange(_RdjsonPart):
    start: _RdjsonPosition | None = None


class _Location(_RdjsonPart):
    path: str | None = None
    range: _RdjsonRange | None = None


class _Code(_RdjsonPart):
    value: str | None = None
    url: str | None = None


class _RdjsonSuggestion(_RdjsonPart):
    text: str | None = None


class _RdjsonDiagnostic(_RdjsonPart):
    message: str | None = None
    location: _Location | None = None
    severity: str | int | None = None
    source: _Source | None = None
    code: _Code | None = None
    suggestions: list[_RdjsonSuggestion] | None = None


class _SourceOnly(_RdjsonPart):
    """The source of a diagnostic; its other fields are skipped."""

    source: _Source | None = None


class _RdjsonDocument(_RdjsonPart):
    source: _Source | None = None
    severity: str | int | None = None
    diagnostics: list[msgspec.Raw] | None = None


_DOCUMENT = msgspec.json.Decoder(_RdjsonDocument)
_DIAGNOSTIC = msgspec.json.Decoder(_RdjsonDiagnostic)
_SOURCE_ONLY = msgspec.json.Decoder(_SourceOnly)
_NO_LOCATION, _NO_RANGE, _NO_PLACE, _NO_CODE = _Location(), _RdjsonRange(), _RdjsonPosition(), _Code()


def read_report(data: Data) -> Report:
    """Read an rdjson document."""
    document = decode_document(_DOCUMENT, data)
    if document.diagnostics is None:
        raise ReportError("it has no diagnostics, not even an empty list, so the result is unknown")
    tool = _choose_tool(document.source, UNNAMED_TOOL)
    tools = {_choose_tool(diagnostic.source, tool) for diagnostic in decode_each(_SOURCE_ONLY, document.diagnostics)}
    silent_tools = {tool} if document.source or not tools else set()
    return Report(tuple(sorted(tools | silent_tools)), _read_results(document.diagnostics, tool, document.severity))


def read_report_lines(data: Data) -> Report:
    """Read an rdjsonl report: one diagnostic per line."""
    diagnostics = decode_lines(data)
    tools = {_choose_tool(diagnostic.source, UNNAMED_TOOL) for diagnostic in decode_each(_SOURCE_ONLY, diagnostics)}
    return Report(tuple(sorted(tools)) or (UNNAMED_TOOL,), _read_results(diagnostics, UNNAMED_TOOL, None))


def _read_results(diagnostics: Sequence[msgspec.Raw], tool: str, severity: str | int | None) -> Iterator[ReportResult]:
    for diagnostic in decode_each(_DIAGNOSTIC, diagnostics):
        location, code = diagnostic.location or _NO_LOCATION, diagnostic.code or _NO_CODE
        start = (location.range or _NO_RANGE).start or _NO_PLACE
        suggestions = (suggestion.text for suggestion in diagnostic.suggestions or ())
        yield ReportResult(
            tool=_choose_tool(diagnostic.source, tool),
            rule=choose_rule_name(code.value),
            path=check_path(location.path),
            line=check_position(start.line),
            column=check_position(start.column),
            message=bound_text(diagnostic.message, MESSAGE_CHARS),
            weight=_WEIGHTS.get(diagnostic.severity) or _WEIGHTS.get(severity, "important"),
            suggestion=bound_text(next(filter(None, suggestions), None), SUGGESTION_CHARS),
            url=bound_text(code.url, URL_CHARS),
        )


def _choose_tool(source: _Source | None, default: str) -> str:
    return bound_text(source.name, TOOL_CHARS).strip() or default if source else default
