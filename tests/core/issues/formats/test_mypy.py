import json

import pytest

from reknit.core.issues.formats.mypy import report
from reknit.core.issues.formats.report import ReportProblem
from reknit.core.issues.model import ReportResult


def test_lines() -> None:
    whole = {"file": "a.py", "line": 8, "column": 11, "message": "m", "hint": "h", "code": "misc", "severity": "error"}
    bare = {"file": "b.py", "line": -1, "column": -1, "message": "n", "hint": None, "code": None, "severity": "note"}
    data = "\n".join(map(json.dumps, [whole, bare, {"file": "c.py", "message": "o"}])).encode()
    assert report(data).tools == ("mypy",)
    assert list(report(data).found) == [
        ReportResult("mypy", "misc", "a.py", 8, 12, "m", "critical", "h"),
        ReportResult("mypy", "unnamed", "b.py", 0, 0, "n", "minor"),
        ReportResult("mypy", "unnamed", "c.py", message="o"),
    ]


def test_silence() -> None:
    assert list(report(b"\n").found) == []


def test_a_line_of_words_is_an_error() -> None:
    with pytest.raises(ReportProblem):
        list(report(b"a.py: error: INTERNAL ERROR\n").found)
