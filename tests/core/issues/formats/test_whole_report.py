"""A whole report as one value."""

import pytest

from reknit.core.errors import UsageProblem
from reknit.core.issues.formats.whole_report import read_report


def test_all_results_are_in_it() -> None:
    line = (
        b'{"file": "a.py", "line": 1, "column": 0, "message": "no", "hint": null, "code": "x", "severity": "error"}\n'
    )
    report = read_report(line * 3, "out.json", "mypy")
    assert (report.tools, len(report.found), report.partial) == (("mypy",), 3, "")


def test_a_report_that_breaks_later_is_a_problem_that_names_it() -> None:
    with pytest.raises(UsageProblem) as problem:
        read_report(b'{"file": "a.py", "line": 1}\n{', "out.json", "mypy")
    assert problem.value.where == "out.json"
