import json

import pytest

from reknit.core.issues.formats.mypy import read_report
from reknit.core.issues.formats.report import ReportError
from reknit.core.issues.model import ReportResult


def test_lines() -> None:
    whole = {"file": "a.py", "line": 8, "column": 11, "message": "m", "hint": "h", "code": "misc", "severity": "error"}
    bare = {"file": "b.py", "line": -1, "column": -1, "message": "n", "hint": None, "code": None, "severity": "note"}
    data = "\n".join(map(json.dumps, [whole, bare, {"file": "c.py", "message": "o"}])).encode()
    assert read_report(data).tools == ("mypy",)
    assert list(read_report(data).results) == [
        ReportResult("mypy", "misc", "a.py", 8, 12, "m", "critical", "h"),
        ReportResult("mypy", "unnamed", "b.py", 0, 0, "n", "minor"),
        ReportResult("mypy", "unnamed", "c.py", message="o"),
    ]


def test_silence() -> None:
    assert list(read_report(b"\n").results) == []


def test_a_line_of_words_is_an_error() -> None:
    with pytest.raises(ReportError):
        list(read_report(b"a.py: error: INTERNAL ERROR\n").results)
