"""What backlog prompts show of issues and of a judge's findings: untrusted text, ordered and bounded."""

import textwrap
from collections.abc import Sequence

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.checks.review import findings_of
from reknit.core.evidence.quoting import list_fairly, listed, quoted
from reknit.core.issues.model import Issue
from reknit.core.text.format import file_line
from reknit.core.text.truncate import byte_length, truncate_bytes

LEAST_BYTES = 100
"""Name, place and the start of the message of one issue."""
MOST_SHARES = 4
"""Fair shares a long issue may fill if the others do not use theirs: searching for secrets is slow."""
_HEAD_BYTES = 400
_INDENT = "    "


def listed_issues(issues: Sequence[Issue], limit_bytes: int) -> str:
    return list_fairly(issues, _block, limit_bytes, least_bytes=LEAST_BYTES, most_shares=MOST_SHARES)


def listed_reports(findings: Sequence[ReportedFinding], limit_bytes: int) -> str:
    """A challenger's findings, numbered and without duplicates."""
    return listed(findings_of(Review("needs_work", 0, "", tuple(findings))), limit_bytes)


def _block(issue: Issue, space: int) -> str:
    head = truncate_bytes(_head(issue), min(_HEAD_BYTES, space))
    left = space - byte_length(head) - 1
    suggestion = quoted(issue.suggestion, space)
    suggested = truncate_bytes(textwrap.indent(f"suggested: {suggestion}", _INDENT), left // 3) if suggestion else ""
    further = truncate_bytes("\n".join(_further(issue)), left // 4)
    message = textwrap.indent(quoted(issue.message, space), _INDENT)
    message = truncate_bytes(message, max(left - byte_length(suggested) - byte_length(further) - 2, 0))
    return "\n".join(filter(None, (head, message, further, suggested)))


def _head(issue: Issue) -> str:
    place = file_line(issue.path, issue.line)
    by = f"by {', '.join(issue.tools)}" if issue.sources else ""
    about = " ".join(filter(None, (place, issue.rule, by)))
    return f"- {issue.name} ({issue.weight}) {' '.join(quoted(about, _HEAD_BYTES).split())}".rstrip()


def _further(issue: Issue) -> list[str]:
    """Messages of other tools on the same issue, if worded differently."""
    said, lines = {_plain(issue.message)}, list[str]()
    for source in issue.sources:
        words = _plain(source.message)
        if words and words not in said:
            lines.append(f"{_INDENT}{_plain(f'{source.tool} {source.rule}')}: {words}")
            said.add(words)
    return lines


def _plain(text: str) -> str:
    return " ".join(quoted(text, _HEAD_BYTES).split())
