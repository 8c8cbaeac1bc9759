"""Reads checkstyle's XML, which many other tools write too."""

from collections.abc import Iterator, Mapping

from reknit.core.finding import Weight
from reknit.core.issues.formats.report import (
    MESSAGE_CHARS,
    Report,
    ReportError,
    bound_text,
    check_path,
    choose_rule_name,
    parse_position,
)
from reknit.core.issues.model import ReportResult
from reknit.core.text.untrusted_input import Data, XmlError, feed_parser, make_parser

TOOL = "checkstyle"
_WEIGHTS: Mapping[str, Weight] = {"error": "critical", "warning": "important", "info": "minor"}
_ESLINT_PREFIX, _JAVA_PREFIX = "eslint.rules.", "com.puppycrawl.tools.checkstyle."


def read_report(data: Data) -> Report:
    """Read a checkstyle document."""
    return Report((TOOL,), _read_results(data))


def _read_results(data: Data) -> Iterator[ReportResult]:
    collector = _ResultCollector()
    parser = make_parser()
    parser.StartElementHandler = collector.start
    try:
        for _ in feed_parser(parser, data):
            yield from collector.results
            collector.results.clear()
    except XmlError as error:
        raise ReportError(f"it {error}") from error


class _ResultCollector:
    def __init__(self) -> None:
        self.results: list[ReportResult] = []
        self._path: str | None = None
        self._has_root = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._has_root and name != "checkstyle":
            raise XmlError(f"is not a checkstyle report: it begins with <{name[:40]}>")
        self._has_root = True
        if name == "file":
            self._path = check_path(attributes.get("name"))
        elif name == "error" and attributes.get("severity") != "ignore":
            self.results.append(_to_result(self._path or "", attributes))


def _to_result(path: str, error: Mapping[str, str]) -> ReportResult:
    return ReportResult(
        tool=TOOL,
        rule=_shorten_rule(error.get("source", "")),
        path=path,
        line=parse_position(error.get("line")),
        column=parse_position(error.get("column")),
        message=bound_text(error.get("message"), MESSAGE_CHARS),
        weight=_WEIGHTS.get(error.get("severity", ""), "important"),
    )


def _shorten_rule(source: str) -> str:
    """Return the name that the tool's users know."""
    if source.startswith(_JAVA_PREFIX):
        return choose_rule_name(source.rpartition(".")[2].removesuffix("Check"))
    return choose_rule_name(source.removeprefix(_ESLINT_PREFIX))
