import json
from typing import Any

import pytest

from reknit.core.issues.formats.rdjson import read_report, read_report_lines
from reknit.core.issues.formats.report import ReportError
from reknit.core.issues.model import ReportResult

WHOLE = {
    "message": "typo",
    "location": {"path": "docs/a.md", "range": {"start": {"line": 3, "column": 9}, "end": {"line": 3}}},
    "severity": "INFO",
    "code": {"value": "SP1", "url": "https://x/SP1"},
    "suggestions": [{}, {"range": {}, "text": "tape"}],
    "original_output": "…",
}


def document(*diagnostics: object, **more: object) -> bytes:
    return json.dumps({"source": {"name": "speller"}, "diagnostics": diagnostics} | more).encode()


def one(diagnostic: dict[str, Any], **more: object) -> ReportResult:
    (found,) = read_report(document(diagnostic, **more)).results
    return found


def test_a_whole_diagnostic() -> None:
    expected = ReportResult(
        tool="speller",
        rule="SP1",
        path="docs/a.md",
        line=3,
        column=9,
        message="typo",
        weight="minor",
        suggestion="tape",
        url="https://x/SP1",
    )
    assert one(WHOLE) == expected
    line = json.dumps(WHOLE | {"source": {"name": "speller"}})
    assert list(read_report_lines(f"{line}\n\n{line}\r\n".encode()).results) == [expected, expected]


def test_almost_nothing() -> None:
    assert one({}) == ReportResult("speller", "unnamed", "")
    assert one({"location": {}, "code": {}, "suggestions": [{}]}) == ReportResult("speller", "unnamed", "")
    assert one({"location": {"range": {}}}).line == 0


@pytest.mark.parametrize(
    ("own", "of_all", "weight"),
    [
        ("ERROR", "INFO", "critical"),
        ("WARNING", None, "important"),
        (1, None, "critical"),
        (3, None, "minor"),
        (None, "ERROR", "critical"),
        ("UNKNOWN_SEVERITY", "INFO", "minor"),
        (None, None, "important"),
    ],
)
def test_weights(own: object, of_all: object, weight: str) -> None:
    assert one({"severity": own}, severity=of_all).weight == weight


def test_every_tool_that_spoke() -> None:
    other = {"source": {"name": "other"}}
    assert read_report(document()).tools == ("speller",)
    assert read_report(document(other)).tools == ("other", "speller")
    assert read_report(document(other, source=None)).tools == ("other",)
    assert read_report(document({"source": {}}, source={"name": " "})).tools == ("reviewdog",)
    assert read_report_lines(json.dumps(other).encode()).tools == ("other",)
    assert read_report_lines(b"{}").tools == ("reviewdog",)
    assert read_report_lines(b"").tools == ("reviewdog",)


@pytest.mark.parametrize("data", [b"{}", b'{"diagnostics":null}', b"[]", b'{"diagnostics":[3]}'])
def test_what_is_no_report(data: bytes) -> None:
    with pytest.raises(ReportError):
        list(read_report(data).results)


def test_a_line_that_is_no_diagnostic() -> None:
    with pytest.raises(ReportError, match="result 2 cannot be read"):
        list(read_report_lines(b'{"message":"a"}\n[]\n').results)
    with pytest.raises(ReportError, match="it cannot be read"):
        list(read_report_lines(b'{"message":"a"}\nTraceback\n').results)
