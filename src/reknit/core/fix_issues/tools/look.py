"""What tools report about one commit. A tool without a result is never taken for a silent one."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from reknit.core.fix_issues.tools.lint_tool import NOT_THERE, LintTool
from reknit.core.issues.formats.whole_report import WholeReport
from reknit.core.issues.model import ReportResult
from reknit.core.text.format import one_line

TEXT_CHARS = 200
MOST_FINDINGS = 5000
"""In the files of a run's issues; a tool that reports more is not used."""
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}[\w.+-]{0,40}")


@dataclass(frozen=True)
class ToolFinding:
    rule: str
    path: str
    line: int
    message: str
    text: str
    """The line's text, without the spaces around it."""
    fixable: bool = False


@dataclass(frozen=True)
class ToolReport:
    """What one tool reported about the files of a run's issues."""

    tool: str
    version: str = ""
    why: str = ""
    """Why there is no result; empty: there is one."""
    missing: bool = False
    """There is no result because the tool is not installed."""
    findings: tuple[ToolFinding, ...] = ()
    unread: tuple[str, ...] = ()
    """Files that it could not read, or that its configuration leaves out."""
    unknown: tuple[str, ...] = ()
    """Rules that it was asked for and did not look for."""

    @property
    def label(self) -> str:
        return f"{self.tool} {self.version}".strip()


@dataclass(frozen=True)
class ToolLook:
    reports: tuple[ToolReport, ...]

    def of(self, tool: str) -> ToolReport:
        return next((report for report in self.reports if report.tool == tool), ToolReport(tool, why="it was not run"))


def why_no_result(reason: str, exit_code: int, stderr: str) -> str:
    """Why what a tool printed is no result; empty: it is one. 1: it found something."""
    if reason == "exit" and exit_code in (0, 1):
        return ""
    if reason == "exit" and exit_code == NOT_THERE:
        return "it is not installed here"
    said = one_line(stderr.partition("\n")[2]).strip()
    return f"it ended with exit code {exit_code} ({said[:200]})" if reason == "exit" else f"it was stopped ({reason})"


def why_contradictory(exit_code: int, found: int) -> str:
    """Why a report cannot be true; empty: it can."""
    return "it ended with exit code 1 and reported nothing" if exit_code == 1 and not found else ""


def unknown_rules(tool: LintTool, rules: Sequence[str], stderr: str) -> tuple[str, ...]:
    """Rules that the tool names beside its report: unknown, removed, renamed, or without effect as it is configured."""
    # A warning about a malformed noqa comment has rules in its example: F401, F841.
    said = "\n".join(line for line in stderr.splitlines()[1:] if "noqa" not in line)
    named = {*tool.rules.findall(said)} if tool.told_rules else set[str]()
    return tuple(rule for rule in rules if rule in named)


def version_in(stderr: str) -> str:
    found = _VERSION.search(stderr.partition("\n")[0])
    return found[0] if found else ""


def read_findings(
    tool: LintTool, version: str, report: WholeReport, place: Callable[[str], str], text: Callable[[str, int], str]
) -> ToolReport:
    """`place`: the path in the repository of a path in a report; `text`: a line of a file."""
    results = [(each, place(each.path)) for each in report.found]
    if len(results) > MOST_FINDINGS:
        return ToolReport(tool.name, version, why=f"it reports more than {MOST_FINDINGS} findings")
    unread = {path for each, path in results if _is_unread(tool, each)}
    found = [_finding(each, path, text(path, each.line)) for each, path in results if path]
    return ToolReport(tool.name, version, findings=tuple(found), unread=tuple(sorted(unread)))


def without_promoted(report: ToolReport, called_safe: Sequence[str]) -> ToolReport:
    """A fix that only the project's configuration calls safe is left to agents. `called_safe`: beginnings of rules."""
    promoted = tuple(called_safe)
    findings = (replace(each, fixable=each.fixable and not each.rule.startswith(promoted)) for each in report.findings)
    return replace(report, findings=tuple(findings))


def joined(tool: str, reports: Iterable[ToolReport]) -> ToolReport:
    """One tool that was started in several folders. One start without a result is none for the whole."""
    parts = [*reports]
    if failed := next((part for part in parts if part.why), None):
        return failed
    return ToolReport(
        tool,
        parts[0].version if parts else "",
        "" if parts else "it was not run",
        findings=tuple(finding for part in parts for finding in part.findings),
        unread=tuple(path for part in parts for path in part.unread),
        unknown=tuple(sorted({rule for part in parts for rule in part.unknown})),
    )


def _is_unread(tool: LintTool, result: ReportResult) -> bool:
    """eslint reports ignored files (no line) and comments without effect (no error) under the same rule."""
    return result.rule == tool.unread and (result.weight == "critical" or not result.line)


def _finding(result: ReportResult, path: str, text: str) -> ToolFinding:
    return ToolFinding(
        result.rule, path, result.line, result.message, text.strip()[:TEXT_CHARS], fixable=result.fixable
    )
