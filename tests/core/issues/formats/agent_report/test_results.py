"""A reported finding as a result: estimates stay, the weight follows the severity."""

from reknit.core.agent_reports.values import ReportedFinding
from reknit.core.issues.formats.agent_report.results import as_result
from reknit.core.issues.model import ReportResult


def test_all_that_an_issue_has_is_taken_over() -> None:
    finding = ReportedFinding("injection", "blocking", "a.py", 4, "unsafe", "use parameters", 2, "Unsafe query", 3)
    assert as_result("reknit/security", finding) == ReportResult(
        tool="reknit/security", rule="injection", path="a.py", line=4, message="unsafe", weight="critical",
        suggestion="use parameters", effort_1_5=2, files=3,
    )  # fmt: skip


def test_what_is_out_of_bounds_is_left_out() -> None:
    found = as_result("reknit/x", ReportedFinding("", "suggestion", "a\0.py", 0, "x", effort_1_5=9, files=10**6))
    assert (found.rule, found.path, found.effort_1_5, found.files, found.weight) == ("unnamed", "", 0, 0, "minor")
