"""What tools report: read with bounds, and never silent without a result."""

import pytest

from reknit.core.fix_issues.tools.lint_tool import ESLINT, RUFF
from reknit.core.fix_issues.tools.look import (
    MAX_FINDINGS,
    ToolFinding,
    ToolLook,
    ToolReport,
    drop_promoted_fixes,
    explain_contradiction,
    explain_missing_report,
    find_remaining,
    find_unknown_rules,
    join_reports,
    match_issues,
    parse_version,
    read_findings,
)
from reknit.core.issues.formats.registry import WholeReport
from reknit.core.issues.model import IssueSource, ReportResult
from tests.tools.issue_samples import FLAKE8, MESSAGE, issue


@pytest.mark.parametrize(
    ("reason", "code", "stderr", "why"),
    [
        pytest.param("exit", 0, "", "", id="nothing found"),
        pytest.param("exit", 1, "", "", id="something found"),
        pytest.param("exit", 127, "", "it is not installed here", id="not there"),
        pytest.param("exit", 2, "v9\n\n  Oops\nat", "it ended with exit code 2 (Oops at)", id="crashed"),
        pytest.param("exit", -11, "", "it ended with exit code -11 ()", id="killed"),
        pytest.param("wall", 0, "", "it was stopped (wall)", id="too slow"),
    ],
)
def test_only_two_exit_codes_are_a_result(reason: str, code: int, stderr: str, why: str) -> None:
    assert explain_missing_report(reason, code, stderr) == why


@pytest.mark.parametrize(("code", "found", "is_true"), [(0, 0, True), (0, 2, True), (1, 2, True), (1, 0, False)])
def test_a_tool_that_says_it_found_something_reports_it(code: int, found: int, is_true: bool) -> None:
    assert (explain_contradiction(code, found) == "") is is_true


@pytest.mark.parametrize(
    "stderr",
    [
        "ruff 1\nCause: Unknown rule selector `XYZ999` in `select`",
        "ruff 1\nremoved:\n    - PT004\n    - XYZ999\n",
        "ruff 1\nwarning: `XYZ999` has been remapped to `TC001`.",
    ],
)
def test_a_rule_that_is_named_beside_the_report_was_not_looked_for(stderr: str) -> None:
    assert find_unknown_rules(RUFF, ("F401", "XYZ999"), stderr) == ("XYZ999",)
    assert find_unknown_rules(RUFF, ("F401",), stderr) == ()
    assert find_unknown_rules(ESLINT, ("XYZ999",), stderr) == ()


def test_the_example_in_a_warning_about_noqa_names_no_unknown_rule() -> None:
    warning = "warning: Invalid `# noqa` directive on a.py:2: expected a list of codes (e.g., `# noqa: F401, F841`)."
    assert find_unknown_rules(RUFF, ("F401", "F841"), f"ruff 1\n{warning}\n") == ()
    assert find_unknown_rules(RUFF, ("F401", "F841"), f"ruff 1\n{warning}\nremoved:\n - F841\n") == ("F841",)


def test_a_fix_that_only_the_configuration_calls_safe_is_left_to_agents() -> None:
    findings = tuple(ToolFinding(rule, "a.py", 1, "m", "", fixable=True) for rule in ("F401", "F841", "E711"))
    report = ToolReport("ruff", findings=findings)
    for called_safe, fixable in (((), 3), (("F8",), 2), (("F", "E711"), 0), (("",), 0)):
        seen = drop_promoted_fixes(report, called_safe)
        assert sum(each.fixable for each in seen.findings) == fixable
        assert [each.rule for each in seen.findings] == ["F401", "F841", "E711"]


@pytest.mark.parametrize(
    ("said", "version"), [("ruff 0.17.4\n", "0.17.4"), ("v10.14.0\nmore 1.2", "10.14.0"), ("\n1.2", ""), ("", "")]
)
def test_its_version_is_on_the_first_line(said: str, version: str) -> None:
    assert parse_version(said) == version


def result(rule: str, path: str = "/r/a.py", **more: object) -> ReportResult:
    return ReportResult("t", rule, path, **{"line": 2, "message": "m", **more})  # type: ignore[arg-type]


def place(path: str) -> str:
    return path.removeprefix("/r/") if path.startswith("/r/") else ""


def test_findings_have_their_place_and_their_line() -> None:
    report = WholeReport(("ruff",), (result("F401", fixable=True), result("E1", "/elsewhere")), "")
    seen = read_findings(RUFF, "1.0", report, place, lambda path, line: f"  {path} {line} ")
    assert seen == ToolReport("ruff", "1.0", findings=(ToolFinding("F401", "a.py", 2, "m", "a.py 2", fixable=True),))
    assert seen.label == "ruff 1.0"


def test_a_file_that_was_not_read_is_known_as_such() -> None:
    fatal = [
        result("fatal", "/r/ignored.ts", line=0),
        result("fatal", "/r/broken.ts", weight="critical"),
        result("fatal", "/r/comment.ts"),
    ]
    seen = read_findings(ESLINT, "", WholeReport(("eslint",), tuple(fatal), ""), place, lambda _path, _line: "")
    assert seen.unread == ("broken.ts", "ignored.ts")


def test_too_many_findings_are_no_result() -> None:
    report = WholeReport(("ruff",), (result("F401"),) * (MAX_FINDINGS + 1), "")
    assert read_findings(RUFF, "", report, place, lambda _path, _line: "").why


def test_one_start_without_a_result_is_none_for_the_whole() -> None:
    one, two = ToolFinding("r", "a", 1, "m", ""), ToolFinding("r", "b", 1, "m", "")
    parts = [ToolReport("t", "1", findings=(one,)), ToolReport("t", "1", findings=(two,), unread=("c",))]
    assert join_reports("t", parts) == ToolReport("t", "1", findings=(one, two), unread=("c",))
    assert join_reports("t", [*parts, ToolReport("t", why="crashed")]) == ToolReport("t", why="crashed")
    assert join_reports("t", []).why


def test_a_tool_that_was_not_run_gave_no_result() -> None:
    look = ToolLook((ToolReport("ruff"),))
    assert (look.get_report("ruff").why, look.get_report("eslint").why) == ("", "it was not run")


def finding(line: int, message: str = MESSAGE, text: str = "import os", path: str = "src/a.py") -> ToolFinding:
    return ToolFinding("F401", path, line, message, text)


def report(*findings: ToolFinding) -> ToolReport:
    return ToolReport("ruff", "1.0", findings=findings)


def test_an_issue_is_found_at_its_line_or_by_its_message_or_as_the_only_one_left() -> None:
    other = IssueSource("ruff", "F401", "other words")
    issues = [issue(1, line=3), issue(2, line=9), issue(3, line=5, sources=(other,)), issue(4, sources=(FLAKE8,))]
    exact, moved, reworded = finding(3), finding(12), finding(40, "new words")
    assert match_issues(report(moved, reworded, exact), issues) == {1: exact, 2: moved, 3: reworded}


def test_an_issue_of_another_file_or_rule_is_not_found() -> None:
    assert match_issues(report(finding(3, path="src/b.py")), [issue(1)]) == {}
    assert match_issues(report(finding(3)), [issue(1, sources=(IssueSource("ruff", "E711", MESSAGE),))]) == {}


def test_a_finding_that_only_moved_or_was_reworded_is_still_there() -> None:
    one, two = finding(1, "`os`", "import os"), finding(2, "`re`", "import re")
    before = report(one, two)
    assert find_remaining(before, report(finding(7, "`re`", "import re"))) == {two}
    assert find_remaining(before, report(finding(7, "`os`", "import os, sys"))) == {one}
    assert find_remaining(before, report(finding(7, "`json`", "import json"))) == {one}
    assert find_remaining(before, report()) == frozenset()
