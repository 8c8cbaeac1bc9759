"""Which tools reported an issue."""

from reknit.core.fix_issues.tools.registry import source_of, tools_of
from reknit.core.issues.model import IssueSource
from tests.tools.issue_samples import FLAKE8, RUFF, issue


def test_a_tool_is_known_by_its_name_in_any_case() -> None:
    eslint = IssueSource("ESLint", "no-var", "m")
    assert source_of(issue(1, sources=(FLAKE8, eslint)), "eslint") == eslint
    assert tools_of([issue(1, sources=(eslint,)), issue(2), issue(3, sources=(FLAKE8,))]) == ("ruff", "eslint")
    assert tools_of([issue(3, sources=(FLAKE8,))]) == ()


def test_what_is_no_rule_of_the_tool_does_not_count() -> None:
    assert source_of(issue(1, sources=(IssueSource("ruff", "invalid-syntax", "m"),)), "ruff") is None
    assert source_of(issue(1, sources=(IssueSource("ruff", "--config", "m"), RUFF)), "ruff") == RUFF
