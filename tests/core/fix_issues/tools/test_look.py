"""What tools report: read with bounds, and never silent without a result."""

import pytest

from reknit.core.fix_issues.tools.eslint import ESLINT
from reknit.core.fix_issues.tools.look import (
    MOST_FINDINGS,
    ToolFinding,
    ToolLook,
    ToolReport,
    joined,
    read_findings,
    unknown_rules,
    version_in,
    why_contradictory,
    why_no_result,
    without_promoted,
)
from reknit.core.fix_issues.tools.ruff import RUFF
from reknit.core.issues.formats.whole_report import WholeReport
from reknit.core.issues.model import ReportResult


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
    assert why_no_result(reason, code, stderr) == why


@pytest.mark.parametrize(("code", "found", "is_true"), [(0, 0, True), (0, 2, True), (1, 2, True), (1, 0, False)])
def test_a_tool_that_says_it_found_something_reports_it(code: int, found: int, is_true: bool) -> None:
    assert (why_contradictory(code, found) == "") is is_true


@pytest.mark.parametrize(
    "stderr",
    [
        "ruff 1\nCause: Unknown rule selector `XYZ999` in `select`",
        "ruff 1\nremoved:\n    - PT004\n    - XYZ999\n",
        "ruff 1\nwarning: `XYZ999` has been remapped to `TC001`.",
    ],
)
def test_a_rule_that_is_named_beside_the_report_was_not_looked_for(stderr: str) -> None:
    assert unknown_rules(RUFF, ("F401", "XYZ999"), stderr) == ("XYZ999",)
    assert unknown_rules(RUFF, ("F401",), stderr) == ()
    assert unknown_rules(ESLINT, ("XYZ999",), stderr) == ()


def test_the_example_in_a_warning_about_noqa_names_no_unknown_rule() -> None:
    warning = "warning: Invalid `# noqa` directive on a.py:2: expected a list of codes (e.g., `# noqa: F401, F841`)."
    assert unknown_rules(RUFF, ("F401", "F841"), f"ruff 1\n{warning}\n") == ()
    assert unknown_rules(RUFF, ("F401", "F841"), f"ruff 1\n{warning}\nremoved:\n - F841\n") == ("F841",)


def test_a_fix_that_only_the_configuration_calls_safe_is_left_to_agents() -> None:
    findings = tuple(ToolFinding(rule, "a.py", 1, "m", "", fixable=True) for rule in ("F401", "F841", "E711"))
    report = ToolReport("ruff", findings=findings)
    for called_safe, fixable in (((), 3), (("F8",), 2), (("F", "E711"), 0), (("",), 0)):
        seen = without_promoted(report, called_safe)
        assert sum(each.fixable for each in seen.findings) == fixable
        assert [each.rule for each in seen.findings] == ["F401", "F841", "E711"]


@pytest.mark.parametrize(
    ("said", "version"), [("ruff 0.17.4\n", "0.17.4"), ("v10.14.0\nmore 1.2", "10.14.0"), ("\n1.2", ""), ("", "")]
)
def test_its_version_is_on_the_first_line(said: str, version: str) -> None:
    assert version_in(said) == version


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
    report = WholeReport(("ruff",), (result("F401"),) * (MOST_FINDINGS + 1), "")
    assert read_findings(RUFF, "", report, place, lambda _path, _line: "").why


def test_one_start_without_a_result_is_none_for_the_whole() -> None:
    one, two = ToolFinding("r", "a", 1, "m", ""), ToolFinding("r", "b", 1, "m", "")
    parts = [ToolReport("t", "1", findings=(one,)), ToolReport("t", "1", findings=(two,), unread=("c",))]
    assert joined("t", parts) == ToolReport("t", "1", findings=(one, two), unread=("c",))
    assert joined("t", [*parts, ToolReport("t", why="crashed")]) == ToolReport("t", why="crashed")
    assert joined("t", []).why


def test_a_tool_that_was_not_run_gave_no_result() -> None:
    look = ToolLook((ToolReport("ruff"),))
    assert (look.of("ruff").why, look.of("eslint").why) == ("", "it was not run")
