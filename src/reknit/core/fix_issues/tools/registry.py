"""The tools whose own fixes are tried before an agent is called."""

from collections.abc import Iterable, Mapping

from reknit.core.fix_issues.tools.eslint import ESLINT
from reknit.core.fix_issues.tools.lint_tool import LintTool
from reknit.core.fix_issues.tools.ruff import RUFF
from reknit.core.issues.model import Issue, IssueSource

TOOLS: Mapping[str, LintTool] = {tool.name: tool for tool in (RUFF, ESLINT)}


def source_of(issue: Issue, tool: str) -> IssueSource | None:
    """How this tool reported the issue; None: it did not, or under a name that is no rule of it."""
    for source in issue.sources:
        if source.tool.lower() == tool and TOOLS[tool].rules.fullmatch(source.rule):
            return source
    return None


def tools_of(issues: Iterable[Issue]) -> tuple[str, ...]:
    """The known tools that reported any of these issues."""
    found = [*issues]
    return tuple(tool for tool in TOOLS if any(source_of(issue, tool) for issue in found))
