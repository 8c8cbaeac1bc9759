"""A report as it is read, and the problem of one that cannot be used."""

import pytest

from reknit.core.errors import UsageProblem
from reknit.core.issues.formats.report import Report, ReportProblem


def test_a_report_that_cannot_be_read_is_for_a_person_to_change() -> None:
    with pytest.raises(UsageProblem) as raised:
        raise ReportProblem("not JSON", help="run the tool again", where="ruff.json")
    problem = raised.value
    assert (problem.name, problem.what, problem.help, problem.where) == (
        "report",
        "not JSON",
        "run the tool again",
        "ruff.json",
    )
    assert problem.exit_code == 2


def test_a_tool_that_found_nothing_has_still_reported() -> None:
    report = Report(("ruff",), iter(()))
    assert (report.tools, list(report.found), report.partial) == (("ruff",), [], "")
