"""Reads reviewdog's diagnostics: rdjson, one document, and rdjsonl, one diagnostic per line."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.formats.bounds import (
    MESSAGE_CHARS,
    SUGGESTION_CHARS,
    TOOL_CHARS,
    URL_CHARS,
    bounded,
    counted,
    path_text,
    rule_name,
)
from reknit.core.issues.formats.json_reports import document, each, lines
from reknit.core.issues.formats.report import Report, ReportProblem
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data

UNNAMED_TOOL = "reviewdog"
_WEIGHTS: Mapping[str | int | None, Weight] = {
    "ERROR": "critical", 1: "critical",
    "WARNING": "important", 2: "important",
    "INFO": "minor", 3: "minor",
}  # fmt: skip


class _RdjsonPart(msgspec.Struct, gc=False):
    """There may be a million."""


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


class _Speaker(_RdjsonPart):
    """Only the source of a diagnostic."""

    source: _Source | None = None


class _RdjsonDocument(_RdjsonPart):
    source: _Source | None = None
    severity: str | int | None = None
    diagnostics: list[msgspec.Raw] | None = None


_DOCUMENT = msgspec.json.Decoder(_RdjsonDocument)
_DIAGNOSTIC = msgspec.json.Decoder(_RdjsonDiagnostic)
_SPEAKER = msgspec.json.Decoder(_Speaker)
_NO_LOCATION, _NO_RANGE, _NO_PLACE, _NO_CODE = _Location(), _RdjsonRange(), _RdjsonPosition(), _Code()


def report(data: Data) -> Report:
    whole = document(_DOCUMENT, data)
    if whole.diagnostics is None:
        raise ReportProblem("it has no diagnostics, not even an empty list, so the result is unknown")
    tool = _tool(whole.source, UNNAMED_TOOL)
    tools = {_tool(one.source, tool) for one in each(_SPEAKER, whole.diagnostics)}
    silent = {tool} if whole.source or not tools else set()
    return Report(tuple(sorted(tools | silent)), _found(whole.diagnostics, tool, whole.severity))


def report_lines(data: Data) -> Report:
    diagnostics = lines(data)
    tools = {_tool(one.source, UNNAMED_TOOL) for one in each(_SPEAKER, diagnostics)}
    return Report(tuple(sorted(tools)) or (UNNAMED_TOOL,), _found(diagnostics, UNNAMED_TOOL, None))


def _found(diagnostics: Sequence[msgspec.Raw], tool: str, severity: str | int | None) -> Iterator[ReportResult]:
    for one in each(_DIAGNOSTIC, diagnostics):
        location, code = one.location or _NO_LOCATION, one.code or _NO_CODE
        start = (location.range or _NO_RANGE).start or _NO_PLACE
        suggested = (suggestion.text for suggestion in one.suggestions or ())
        yield ReportResult(
            tool=_tool(one.source, tool),
            rule=rule_name(code.value),
            path=path_text(location.path),
            line=counted(start.line),
            column=counted(start.column),
            message=bounded(one.message, MESSAGE_CHARS),
            weight=_WEIGHTS.get(one.severity) or _WEIGHTS.get(severity, "important"),
            suggestion=bounded(next(filter(None, suggested), None), SUGGESTION_CHARS),
            url=bounded(code.url, URL_CHARS),
        )


def _tool(source: _Source | None, otherwise: str) -> str:
    return bounded(source.name, TOOL_CHARS).strip() or otherwise if source else otherwise
