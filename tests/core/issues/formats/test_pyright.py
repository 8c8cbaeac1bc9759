import json

import pytest

from reknit.core.issues.formats.pyright import read_report
from reknit.core.issues.formats.report import ReportError
from reknit.core.issues.model import ReportResult


def document(*diagnostics: object, files: int = 1) -> bytes:
    return json.dumps({"generalDiagnostics": diagnostics, "summary": {"filesAnalyzed": files}}).encode()


def test_diagnostics() -> None:
    place = {"start": {"line": 6, "character": 0}, "end": {}}
    whole = {"file": "/r/a.py", "severity": "warning", "message": "m", "rule": "reportX", "range": place}
    data = document(whole, {"file": "/r/b.py", "severity": "error", "message": "n"}, {"message": "o"})
    assert read_report(data).tools == ("pyright",)
    assert list(read_report(data).results) == [
        ReportResult("pyright", "reportX", "/r/a.py", 7, 1, "m", "important"),
        ReportResult("pyright", "syntax", "/r/b.py", message="n", weight="critical"),
        ReportResult("pyright", "syntax", "", message="o"),
    ]


def test_nothing_found_in_some_files() -> None:
    assert list(read_report(document()).results) == []


@pytest.mark.parametrize("data", [document(files=0), b"{}", b'{"generalDiagnostics":[]}', document({})])
def test_what_is_no_report(data: bytes) -> None:
    with pytest.raises(ReportError):
        list(read_report(data).results)
