"""Reports of tools about one commit, and their comparison. A failed tool is never taken for a silent one."""

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.fix_issues.tools.lint_tool import NOT_INSTALLED, LintTool, find_source
from reknit.core.issues.formats.registry import WholeReport
from reknit.core.issues.model import Issue, ReportResult
from reknit.core.text.format import to_one_line

TEXT_CHARS = 200
MAX_FINDINGS = 5000
"""Maximum number of findings in the files of a run's issues; a tool that reports more is not used."""
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}[\w.+-]{0,40}")


@dataclass(frozen=True)
class ToolFinding:
    """One finding of a tool."""

    rule: str
    path: str
    line: int
    message: str
    text: str
    """Text of the line, without the spaces around it."""
    fixable: bool = False


@dataclass(frozen=True)
class ToolReport:
    """Findings of one tool in the files of a run's issues."""

    tool: str
    version: str = ""
    why: str = ""
    """Reason why there is no result; empty: there is one."""
    missing: bool = False
    """True if there is no result because the tool is not installed."""
    findings: tuple[ToolFinding, ...] = ()
    unread: tuple[str, ...] = ()
    """Files that it could not read, or that its configuration leaves out."""
    unknown: tuple[str, ...] = ()
    """Rules that it was given and did not check."""

    @property
    def label(self) -> str:
        return f"{self.tool} {self.version}".strip()


@dataclass(frozen=True)
class ToolLook:
    """Reports of several tools about one commit."""

    reports: tuple[ToolReport, ...]

    def get_report(self, tool: str) -> ToolReport:
        return next((report for report in self.reports if report.tool == tool), ToolReport(tool, why="it was not run"))


def explain_missing_report(reason: str, exit_code: int, stderr: str) -> str:
    """Return why the output is no report; empty: it is one. Exit code 1 means that it has findings."""
    if reason == "exit" and exit_code in (0, 1):
        return ""
    if reason == "exit" and exit_code == NOT_INSTALLED:
        return "it is not installed here"
    message = to_one_line(stderr.partition("\n")[2]).strip()
    return (
        f"it ended with exit code {exit_code} ({message[:200]})" if reason == "exit" else f"it was stopped ({reason})"
    )


def explain_contradiction(exit_code: int, findings: int) -> str:
    """Return why a report cannot be true; empty: it can."""
    return "it ended with exit code 1 and reported nothing" if exit_code == 1 and not findings else ""


def find_unknown_rules(tool: LintTool, rules: Sequence[str], stderr: str) -> tuple[str, ...]:
    """Return the rules that the tool complains about on stderr: unknown, removed, renamed or without effect."""
    # A warning about a malformed noqa comment contains rules as examples: F401, F841.
    messages = "\n".join(line for line in stderr.splitlines()[1:] if "noqa" not in line)
    reported = {*tool.rule_pattern.findall(messages)} if tool.takes_rules else set[str]()
    return tuple(rule for rule in rules if rule in reported)


def parse_version(stderr: str) -> str:
    """Return the version in the first line; empty: there is none."""
    match = _VERSION.search(stderr.partition("\n")[0])
    return match[0] if match else ""


def read_findings(
    tool: LintTool, version: str, report: WholeReport, place: Callable[[str], str], text: Callable[[str, int], str]
) -> ToolReport:
    """Convert a report. `place`: a path in the report -> its path in the repository; `text`: a line of a file."""
    results = [(result, place(result.path)) for result in report.results]
    if len(results) > MAX_FINDINGS:
        return ToolReport(tool.name, version, why=f"it reports more than {MAX_FINDINGS} findings")
    unread = {path for result, path in results if _is_unread(tool, result)}
    findings = [_make_finding(result, path, text(path, result.line)) for result, path in results if path]
    return ToolReport(tool.name, version, findings=tuple(findings), unread=tuple(sorted(unread)))


def drop_promoted_fixes(report: ToolReport, called_safe: Sequence[str]) -> ToolReport:
    """Mark fixes that only the project calls safe as not fixable. `called_safe`: prefixes of their rules."""
    promoted = tuple(called_safe)
    findings = (
        replace(finding, fixable=finding.fixable and not finding.rule.startswith(promoted))
        for finding in report.findings
    )
    return replace(report, findings=tuple(findings))


def join_reports(tool: str, reports: Iterable[ToolReport]) -> ToolReport:
    """Join the reports of one tool from several folders. If one start gives no result, the whole has none."""
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
    """Return True if the result says that a file was not read. ESLint reports an ignored file without a line."""
    return result.rule == tool.unreadable_rule and (result.weight == "critical" or not result.line)


def _make_finding(result: ReportResult, path: str, text: str) -> ToolFinding:
    return ToolFinding(
        result.rule, path, result.line, result.message, text.strip()[:TEXT_CHARS], fixable=result.fixable
    )


_MatchKey = Callable[[ToolFinding], object]
_LEDGER_KEYS: tuple[_MatchKey, ...] = (
    lambda one: (one.line, one.message),
    lambda one: one.message,
    lambda one: one.line,
)
_LOOK_KEYS: tuple[_MatchKey, ...] = (lambda one: (one.message, one.text), lambda one: one.message, lambda one: one.text)


def _ignore_finding(_finding: ToolFinding) -> object:
    return None


def match_issues(report: ToolReport, issues: Iterable[Issue]) -> Mapping[int, ToolFinding]:
    """Return the finding of this tool for each issue."""
    findings_by_issue = {
        issue.id: ToolFinding(source.rule, issue.path, issue.line, source.message, "")
        for issue in issues
        if (source := find_source(issue, report.tool))
    }
    numbers = [*findings_by_issue]
    pairs = _pair_findings([*findings_by_issue.values()], report.findings, _LEDGER_KEYS)
    return {numbers[old]: report.findings[new] for old, new in pairs.items()}


def find_remaining(before: ToolReport, after: ToolReport) -> frozenset[ToolFinding]:
    """Return the findings that the second report still has; a moved or reworded finding is the same."""
    pairs = _pair_findings(before.findings, after.findings, _LOOK_KEYS)
    return frozenset(before.findings[old] for old in pairs)


def _pair_findings(
    olds: Sequence[ToolFinding], news: Sequence[ToolFinding], keys: Sequence[_MatchKey]
) -> dict[int, int]:
    """Pair findings within a rule and a file: the most alike first, then the rest in order."""
    pairs: dict[int, int] = {}
    for key in (*keys, _ignore_finding):
        waiting: defaultdict[object, deque[int]] = defaultdict(deque)
        paired_numbers = {*pairs.values()}
        for number, new in enumerate(news):
            if number not in paired_numbers:
                waiting[new.rule, new.path, key(new)].append(number)
        for number, old in enumerate(olds):
            fitting = waiting[old.rule, old.path, key(old)]
            if number not in pairs and fitting:
                pairs[number] = fitting.popleft()
    return pairs
