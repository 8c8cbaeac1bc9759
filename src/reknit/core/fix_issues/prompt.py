"""Lists issues and the challenger's findings for backlog prompts: untrusted text, quoted and bounded."""

import textwrap
from collections.abc import Sequence

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.checks.review import findings_from_review
from reknit.core.evidence.quoting import list_fairly, list_findings, quote_untrusted
from reknit.core.issues.model import Issue
from reknit.core.text.format import format_location
from reknit.core.text.truncate import count_bytes, truncate_bytes

LEAST_BYTES = 100
"""Minimum size of one issue in bytes: its name, its place and the start of its message."""
MAX_SHARES = 4
"""Maximum number of fair shares that one long issue may use, because the search for secrets in it is slow."""
_HEAD_BYTES = 400
_INDENT = "    "


def list_issues(issues: Sequence[Issue], limit_bytes: int) -> str:
    """List issues in fair shares of the space."""
    return list_fairly(issues, _render_issue, limit_bytes, least_bytes=LEAST_BYTES, most_shares=MAX_SHARES)


def list_reports(findings: Sequence[ReportedFinding], limit_bytes: int) -> str:
    """List a challenger's findings, numbered and without duplicates."""
    return list_findings(findings_from_review(Review("needs_work", 0, "", tuple(findings))), limit_bytes)


def _render_issue(issue: Issue, space: int) -> str:
    head = truncate_bytes(_render_heading(issue), min(_HEAD_BYTES, space))
    room = space - count_bytes(head) - 1
    suggestion = quote_untrusted(issue.suggestion, space)
    suggested = truncate_bytes(textwrap.indent(f"suggested: {suggestion}", _INDENT), room // 3) if suggestion else ""
    further = truncate_bytes("\n".join(_list_other_messages(issue)), room // 4)
    message = textwrap.indent(quote_untrusted(issue.message, space), _INDENT)
    message = truncate_bytes(message, max(room - count_bytes(suggested) - count_bytes(further) - 2, 0))
    return "\n".join(filter(None, (head, message, further, suggested)))


def _render_heading(issue: Issue) -> str:
    place = format_location(issue.path, issue.line)
    by = f"by {', '.join(issue.tools)}" if issue.sources else ""
    about = " ".join(filter(None, (place, issue.rule, by)))
    return f"- {issue.name} ({issue.weight}) {' '.join(quote_untrusted(about, _HEAD_BYTES).split())}".rstrip()


def _list_other_messages(issue: Issue) -> list[str]:
    """Return messages of other tools on the same issue that are worded differently."""
    messages, lines = {_to_plain_line(issue.message)}, list[str]()
    for source in issue.sources:
        line = _to_plain_line(source.message)
        if line and line not in messages:
            lines.append(f"{_INDENT}{_to_plain_line(f'{source.tool} {source.rule}')}: {line}")
            messages.add(line)
    return lines


def _to_plain_line(text: str) -> str:
    return " ".join(quote_untrusted(text, _HEAD_BYTES).split())
