"""The report that `reknit mcp --out` wrote, as issues."""

import json
from typing import Any

import pytest

from reknit.core.agent_reports.document import document
from reknit.core.agent_reports.session import ReportSession
from reknit.core.agent_reports.values import FixReport, ReportedFinding, Review
from reknit.core.issues.formats.registry import guess, open_report
from reknit.core.issues.formats.report import ReportProblem
from reknit.core.issues.model import ReportResult

FOUND = ReportedFinding("tests", "blocking", "a.py", 3, 'no test for "results": {}', "add one", 2, "No test", 4)


def written(*findings: ReportedFinding, closing: Review | FixReport | None = None, role: Any = "review") -> bytes:
    return json.dumps(document(ReportSession(role, findings=findings, closing=closing)), indent=1).encode()


def test_a_finding_keeps_its_estimates_and_is_recognised_by_its_content() -> None:
    data = written(FOUND, closing=Review("needs_work", 40, "one bug"))
    assert guess("review.json", data) == "reknit"
    report = open_report(data, name="review.json")
    assert report.tools == ("reknit/review",)
    assert report.partial == "a review by an agent does not cover everything"
    assert list(report.found) == [
        ReportResult(
            tool="reknit/review", rule="tests", path="a.py", line=3, message=FOUND.issue, weight="critical",
            suggestion="add one", effort_1_5=2, files=4,
        )
    ]  # fmt: skip


def test_a_review_without_findings_is_clean_only_if_it_ended() -> None:
    ended = open_report(written(closing=Review("passed", 99, "sound")), name="r.json")
    assert list(ended.found) == []
    with pytest.raises(ReportProblem, match=r"unfinished and reports nothing.*finish_review was never called"):
        open_report(written(), name="r.json")
    assert [found.line for found in open_report(written(FOUND), name="r.json").found] == [3]


def test_an_older_report_without_estimates() -> None:
    old = json.loads(written(FOUND))
    for name in ("title", "files", "effort", "suggestion"):
        del old["findings"][0][name]
    (found,) = open_report(json.dumps(old).encode(), name="r.json").found
    assert (found.effort_1_5, found.files, found.suggestion) == (0, 0, "")


def test_the_report_of_a_fix_has_no_findings() -> None:
    with pytest.raises(ReportProblem, match="the report of a fix"):
        open_report(written(closing=FixReport("fixed", "done"), role="fix"), name="r.json")


def test_a_finding_that_cannot_be_read_is_named() -> None:
    broken = json.loads(written(FOUND, FOUND))
    broken["findings"][1]["severity"] = "huge"
    with pytest.raises(ReportProblem, match="result 2 cannot be read"):
        list(open_report(json.dumps(broken).encode(), name="r.json").found)
