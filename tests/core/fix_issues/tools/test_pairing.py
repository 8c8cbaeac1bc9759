"""The same finding before and after a change, and in the ledger."""

from reknit.core.fix_issues.tools.look import ToolFinding, ToolReport
from reknit.core.fix_issues.tools.pairing import reported, still_there
from reknit.core.issues.model import IssueSource
from tests.tools.issue_samples import FLAKE8, MESSAGE, issue


def finding(line: int, message: str = MESSAGE, text: str = "import os", path: str = "src/a.py") -> ToolFinding:
    return ToolFinding("F401", path, line, message, text)


def report(*findings: ToolFinding) -> ToolReport:
    return ToolReport("ruff", "1.0", findings=findings)


def test_an_issue_is_found_at_its_line_or_by_its_message_or_as_the_only_one_left() -> None:
    other = IssueSource("ruff", "F401", "other words")
    issues = [issue(1, line=3), issue(2, line=9), issue(3, line=5, sources=(other,)), issue(4, sources=(FLAKE8,))]
    exact, moved, reworded = finding(3), finding(12), finding(40, "new words")
    assert reported(report(moved, reworded, exact), issues) == {1: exact, 2: moved, 3: reworded}


def test_an_issue_of_another_file_or_rule_is_not_found() -> None:
    assert reported(report(finding(3, path="src/b.py")), [issue(1)]) == {}
    assert reported(report(finding(3)), [issue(1, sources=(IssueSource("ruff", "E711", MESSAGE),))]) == {}


def test_a_finding_that_only_moved_or_was_reworded_is_still_there() -> None:
    one, two = finding(1, "`os`", "import os"), finding(2, "`re`", "import re")
    before = report(one, two)
    assert still_there(before, report(finding(7, "`re`", "import re"))) == {two}
    assert still_there(before, report(finding(7, "`os`", "import os, sys"))) == {one}
    assert still_there(before, report(finding(7, "`json`", "import json"))) == {one}
    assert still_there(before, report()) == frozenset()
