"""The report that `reknit mcp --out` wrote, as issues."""

import json
from typing import Any

import pytest

from reknit.core.agent_reports.document import to_document
from reknit.core.agent_reports.session import ReportSession
from reknit.core.agent_reports.values import FixReport, ReportedFinding, Review
from reknit.core.issues.formats.agent_report import to_result
from reknit.core.issues.formats.registry import detect_format, open_report
from reknit.core.issues.formats.report import ReportError
from reknit.core.issues.model import ReportResult

FOUND = ReportedFinding("tests", "blocking", "a.py", 3, 'no test for "results": {}', "add one", 2, "No test", 4)


def written(*findings: ReportedFinding, closing: Review | FixReport | None = None, role: Any = "review") -> bytes:
    return json.dumps(to_document(ReportSession(role, findings=findings, closing=closing)), indent=1).encode()


def test_a_finding_keeps_its_estimates_and_is_recognised_by_its_content() -> None:
    data = written(FOUND, closing=Review("needs_work", 40, "one bug"))
    assert detect_format("review.json", data) == "reknit"
    report = open_report(data, name="review.json")
    assert report.tools == ("reknit/review",)
    assert report.partial == "a review by an agent does not cover everything"
    assert list(report.results) == [
        ReportResult(
            tool="reknit/review", rule="tests", path="a.py", line=3, message=FOUND.issue, weight="critical",
            suggestion="add one", effort_1_5=2, files=4,
        )
    ]  # fmt: skip


def test_a_review_without_findings_is_clean_only_if_it_ended() -> None:
    ended = open_report(written(closing=Review("passed", 99, "sound")), name="r.json")
    assert list(ended.results) == []
    with pytest.raises(ReportError, match=r"unfinished and reports nothing.*finish_review was never called"):
        open_report(written(), name="r.json")
    assert [found.line for found in open_report(written(FOUND), name="r.json").results] == [3]


def test_an_older_report_without_estimates() -> None:
    old = json.loads(written(FOUND))
    for name in ("title", "files", "effort", "suggestion"):
        del old["findings"][0][name]
    (found,) = open_report(json.dumps(old).encode(), name="r.json").results
    assert (found.effort_1_5, found.files, found.suggestion) == (0, 0, "")


def test_the_report_of_a_fix_has_no_findings() -> None:
    with pytest.raises(ReportError, match="the report of a fix"):
        open_report(written(closing=FixReport("fixed", "done"), role="fix"), name="r.json")


def test_a_finding_that_cannot_be_read_is_named() -> None:
    broken = json.loads(written(FOUND, FOUND))
    broken["findings"][1]["severity"] = "huge"
    with pytest.raises(ReportError, match="result 2 cannot be read"):
        list(open_report(json.dumps(broken).encode(), name="r.json").results)


def test_all_that_an_issue_has_is_taken_over() -> None:
    finding = ReportedFinding("injection", "blocking", "a.py", 4, "unsafe", "use parameters", 2, "Unsafe query", 3)
    assert to_result("reknit/security", finding) == ReportResult(
        tool="reknit/security", rule="injection", path="a.py", line=4, message="unsafe", weight="critical",
        suggestion="use parameters", effort_1_5=2, files=3,
    )  # fmt: skip


def test_what_is_out_of_bounds_is_left_out() -> None:
    found = to_result("reknit/x", ReportedFinding("", "suggestion", "a\0.py", 0, "x", effort_1_5=9, files=10**6))
    assert (found.rule, found.path, found.effort_1_5, found.files, found.weight) == ("unnamed", "", 0, 0, "minor")
