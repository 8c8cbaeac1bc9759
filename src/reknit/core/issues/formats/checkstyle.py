"""Reads checkstyle's XML, which many other tools write too."""

from collections.abc import Iterator, Mapping

from reknit.core.finding import Weight
from reknit.core.issues.formats.bounds import MESSAGE_CHARS, bounded, digits, path_text, rule_name
from reknit.core.issues.formats.report import Report, ReportProblem
from reknit.core.issues.model import ReportResult
from reknit.core.text.xml_stream import Data, XmlProblem, feed, new_parser

TOOL = "checkstyle"
_WEIGHTS: Mapping[str, Weight] = {"error": "critical", "warning": "important", "info": "minor"}
_ESLINT, _JAVA = "eslint.rules.", "com.puppycrawl.tools.checkstyle."


def report(data: Data) -> Report:
    return Report((TOOL,), _results(data))


def _results(data: Data) -> Iterator[ReportResult]:
    reading = _Reading()
    parser = new_parser()
    parser.StartElementHandler = reading.start
    try:
        for _ in feed(parser, data):
            yield from reading.found
            reading.found.clear()
    except XmlProblem as error:
        raise ReportProblem(f"it {error}") from error


class _Reading:
    def __init__(self) -> None:
        self.found: list[ReportResult] = []
        self._path: str | None = None
        self._has_root = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._has_root and name != "checkstyle":
            raise XmlProblem(f"is not a checkstyle report: it begins with <{name[:40]}>")
        self._has_root = True
        if name == "file":
            self._path = path_text(attributes.get("name"))
        elif name == "error" and attributes.get("severity") != "ignore":
            self.found.append(_found(self._path or "", attributes))


def _found(path: str, error: Mapping[str, str]) -> ReportResult:
    return ReportResult(
        tool=TOOL,
        rule=_rule(error.get("source", "")),
        path=path,
        line=digits(error.get("line")),
        column=digits(error.get("column")),
        message=bounded(error.get("message"), MESSAGE_CHARS),
        weight=_WEIGHTS.get(error.get("severity", ""), "important"),
    )


def _rule(source: str) -> str:
    """The name that the tool's users know."""
    if source.startswith(_JAVA):
        return rule_name(source.rpartition(".")[2].removesuffix("Check"))
    return rule_name(source.removeprefix(_ESLINT))
