import json

import pytest

from reknit.core.issues.formats.report import ReportError
from reknit.core.issues.formats.ruff import read_report
from reknit.core.issues.model import ReportResult

WHOLE = {
    "code": "F401",
    "filename": "/r/a.py",
    "fix": {"applicability": "safe", "edits": [], "message": "Remove it"},
    "location": {"column": 8, "row": 1},
    "message": "`os` imported but unused",
    "url": "https://docs/F401",
}


def test_results() -> None:
    bare = {"code": None, "filename": "b.py", "fix": None, "location": None, "message": "Expected `:`", "url": None}
    data = json.dumps([WHOLE, bare]).encode()
    assert read_report(data).tools == ("ruff",)
    assert list(read_report(data).results) == [
        ReportResult(
            tool="ruff",
            rule="F401",
            path="/r/a.py",
            line=1,
            column=8,
            message="`os` imported but unused",
            suggestion="Remove it",
            url="https://docs/F401",
            fixable=True,
        ),
        ReportResult("ruff", "invalid-syntax", "b.py", message="Expected `:`", weight="critical"),
    ]


def test_only_a_fix_that_ruff_calls_safe_counts_as_one() -> None:
    unsafe = {**WHOLE, "fix": {"applicability": "unsafe", "edits": [], "message": "Remove it"}}
    assert [found.fixable for found in read_report(json.dumps([WHOLE, unsafe]).encode()).results] == [True, False]


def test_nothing_found() -> None:
    assert list(read_report(b"[]").results) == []


@pytest.mark.parametrize("data", [b"{}", b"", b"[3]", b'[{"message":"a"}]'])
def test_what_is_no_report(data: bytes) -> None:
    with pytest.raises(ReportError):
        list(read_report(data).results)
