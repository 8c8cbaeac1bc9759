import json

import pytest

from reknit.core.issues.formats.report import ReportError
from reknit.core.issues.formats.semgrep import read_report
from reknit.core.issues.model import ReportResult

WHOLE = {
    "check_id": "rules.no-eval",
    "path": "s.py",
    "start": {"line": 1, "col": 5},
    "extra": {"message": "m", "severity": "INFO", "fix": "f", "lines": "x = eval(y)", "fingerprint": "abc"},
}
WARNING = {"level": "warn", "message": "one file was parsed in part"}
ERROR = {"level": "error", "message": "out of memory\x1b[0m"}


def document(*results: object, errors: object = ()) -> bytes:
    return json.dumps({"results": results, "errors": errors}).encode()


def test_results() -> None:
    withheld = {"message": "n", "severity": "dire", "lines": "requires login", "fingerprint": "requires login"}
    data = document(
        WHOLE,
        {"check_id": "a", "path": "t.py", "extra": withheld},
        {"check_id": "b", "path": "u.py", "extra": {"is_ignored": True}},
    )
    assert read_report(data).tools == ("semgrep",)
    assert list(read_report(data).results) == [
        ReportResult(
            tool="semgrep",
            rule="rules.no-eval",
            path="s.py",
            line=1,
            column=5,
            message="m",
            weight="minor",
            suggestion="f",
            snippet="x = eval(y)",
            fingerprint="abc",
        ),
        ReportResult("semgrep", "a", "t.py", message="n"),
    ]


def test_errors_matter() -> None:
    assert list(read_report(document(errors=[WARNING])).results) == []
    with pytest.raises(ReportError, match=r"the result is unknown: out of memory$"):
        read_report(document(errors=[WARNING, ERROR]))
    assert read_report(document(WHOLE, errors=[ERROR])).partial == "semgrep partly failed: out of memory"
    assert read_report(document(WHOLE, errors=[WARNING])).partial == ""


@pytest.mark.parametrize("data", [b"{}", b'{"results":[]}', b'{"results":null,"errors":[]}', document({})])
def test_what_is_no_report(data: bytes) -> None:
    with pytest.raises(ReportError):
        list(read_report(data).results)
