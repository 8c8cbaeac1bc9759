"""Quotes untrusted text in pull-request prompts: nothing hidden, no secrets, ordered by weight, bounded."""

import textwrap
from collections.abc import Callable, Sequence
from typing import TypeVar

from reknit.core.evidence.digest import excerpt
from reknit.core.finding import Finding
from reknit.core.text.format import file_line
from reknit.core.text.redact import redact
from reknit.core.text.truncate import byte_length, in_fair_shares, truncate_bytes
from reknit.core.text.visible import strip_hidden

T = TypeVar("T")

LEAST_BYTES = 200
MOST_BYTES = 3_000
"""Per finding."""
_HEAD_BYTES = 400
_LINE_BYTES = 200
_INDENT = "    "


def quoted(text: str, limit_bytes: int) -> str:
    """The start of an untrusted text."""
    start = strip_hidden(text)[: 4 * limit_bytes]  # searching for secrets is slow
    return truncate_bytes(redact(start), limit_bytes)


def listed(findings: Sequence[Finding], limit_bytes: int) -> str:
    return list_fairly(findings, _block, limit_bytes, least_bytes=LEAST_BYTES)


def list_fairly(
    items: Sequence[T], render: Callable[[T, int], str], limit_bytes: int, *, least_bytes: int, most_shares: int = 0
) -> str:
    """Each with a fair share of the space, at most `most_shares` (0: any number), and the number of those omitted.

    `render` gets an item and its space; it must not let the text of one item pass for another.
    """
    space = limit_bytes - least_bytes
    kept = items[: max(space // least_bytes, 1)]
    most = min(MOST_BYTES, most_shares * space // max(len(kept), 1)) if most_shares else MOST_BYTES
    more = len(items) - len(kept)
    omitted = [f"{more} more are omitted for space."] if more else []
    return "\n".join([*in_fair_shares(kept, render, space, most), *omitted])


def one_a_line(texts: Sequence[str], limit_bytes: int) -> str:
    """As many as fit, from the start."""
    lines: list[str] = []
    space = limit_bytes - byte_length(_and_more(len(texts)))
    for text in texts:
        line = truncate_bytes(" ".join(quoted(text, 4 * _LINE_BYTES).split()), _LINE_BYTES)
        space -= byte_length(line) + 1
        if space < 0:
            break
        lines.append(line)
    left = len(texts) - len(lines)
    return "\n".join([*lines, *([_and_more(left)] if left else [])])


def _and_more(count: int) -> str:
    return f"… and {count} more"


def _block(finding: Finding, space: int) -> str:
    head = truncate_bytes(_head(finding), min(_HEAD_BYTES, space))
    left = space - byte_length(head) - 1
    suggestion = quoted(finding.suggestion, MOST_BYTES)
    suggested = truncate_bytes(textwrap.indent(f"suggested: {suggestion}", _INDENT), left // 3) if suggestion else ""
    return "\n".join(filter(None, (head, _message(finding, left - byte_length(suggested) - 1), suggested)))


def _head(finding: Finding) -> str:
    weight = f" ({finding.weight})" if finding.source == "review" else ""
    place = file_line(finding.file, finding.line)
    subject = "" if finding.subject in (finding.file, place) or finding.subject in finding.message else finding.subject
    about = ", ".join(filter(None, (subject, place, finding.author and f"by {finding.author}")))
    return f"- {finding.id}{weight} {' '.join(quoted(about, _HEAD_BYTES).split())}".rstrip()


def _message(finding: Finding, space: int) -> str:
    """The relevant part of a log, or the start of a remark."""
    if finding.source == "ci":
        return excerpt(strip_hidden(finding.message), space, indent=_INDENT)
    return truncate_bytes(textwrap.indent(quoted(finding.message, MOST_BYTES), _INDENT), space)
