"""Quotes untrusted text in pull-request prompts: nothing hidden, no secrets, ordered by weight, bounded."""

import textwrap
from collections.abc import Callable, Sequence
from typing import TypeVar

from reknit.core.evidence.digest import excerpt
from reknit.core.finding import Finding
from reknit.core.text.format import format_location
from reknit.core.text.redact import redact, strip_hidden
from reknit.core.text.truncate import count_bytes, render_fairly, truncate_bytes

T = TypeVar("T")

LEAST_FINDING_BYTES = 200
MAX_FINDING_BYTES = 3_000
"""Maximum size of one finding in bytes."""
_HEAD_BYTES = 400
_LINE_BYTES = 200
_INDENT = "    "


def quote_untrusted(text: str, limit_bytes: int) -> str:
    """Return the start of an untrusted text, without secrets and hidden parts."""
    start = strip_hidden(text)[: 4 * limit_bytes]  # searching for secrets is slow
    return truncate_bytes(redact(start), limit_bytes)


def list_findings(findings: Sequence[Finding], limit_bytes: int) -> str:
    """List findings in fair shares of the space, with the number of those omitted."""
    return list_fairly(findings, _render_finding, limit_bytes, least_bytes=LEAST_FINDING_BYTES)


def list_fairly(
    items: Sequence[T], render: Callable[[T, int], str], limit_bytes: int, *, least_bytes: int, most_shares: int = 0
) -> str:
    """List items in fair shares of the space, at most `most_shares` each (0: any number).

    `render` gets an item and its space; it must not let the text of one item pass for another.
    """
    space = limit_bytes - least_bytes
    first_items = items[: max(space // least_bytes, 1)]
    most = min(MAX_FINDING_BYTES, most_shares * space // max(len(first_items), 1)) if most_shares else MAX_FINDING_BYTES
    more = len(items) - len(first_items)
    omitted = [f"{more} more are omitted for space."] if more else []
    return "\n".join([*render_fairly(first_items, render, space, most), *omitted])


def list_lines(texts: Sequence[str], limit_bytes: int) -> str:
    """List as many texts as fit, one per line, from the start."""
    lines: list[str] = []
    space = limit_bytes - count_bytes(_and_more(len(texts)))
    for text in texts:
        line = truncate_bytes(" ".join(quote_untrusted(text, 4 * _LINE_BYTES).split()), _LINE_BYTES)
        space -= count_bytes(line) + 1
        if space < 0:
            break
        lines.append(line)
    omitted = len(texts) - len(lines)
    return "\n".join([*lines, *([_and_more(omitted)] if omitted else [])])


def _and_more(count: int) -> str:
    return f"… and {count} more"


def _render_finding(finding: Finding, space: int) -> str:
    heading = truncate_bytes(_finding_heading(finding), min(_HEAD_BYTES, space))
    room = space - count_bytes(heading) - 1
    suggestion = quote_untrusted(finding.suggestion, MAX_FINDING_BYTES)
    suggested = truncate_bytes(textwrap.indent(f"suggested: {suggestion}", _INDENT), room // 3) if suggestion else ""
    return "\n".join(filter(None, (heading, _finding_message(finding, room - count_bytes(suggested) - 1), suggested)))


def _finding_heading(finding: Finding) -> str:
    weight = f" ({finding.weight})" if finding.source == "review" else ""
    place = format_location(finding.file, finding.line)
    subject = "" if finding.subject in (finding.file, place) or finding.subject in finding.message else finding.subject
    about = ", ".join(filter(None, (subject, place, finding.author and f"by {finding.author}")))
    return f"- {finding.id}{weight} {' '.join(quote_untrusted(about, _HEAD_BYTES).split())}".rstrip()


def _finding_message(finding: Finding, space: int) -> str:
    """Return the relevant part of a log, or the start of a remark."""
    if finding.source == "ci":
        return excerpt(strip_hidden(finding.message), space, indent=_INDENT)
    return truncate_bytes(textwrap.indent(quote_untrusted(finding.message, MAX_FINDING_BYTES), _INDENT), space)
