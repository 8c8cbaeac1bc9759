"""Renders failures for a prompt: grouped by cause, cut to the lines that matter, within a size."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from reknit.core.evidence.failure_groups import (
    Group,
    find_headline,
    find_own_frame,
    find_source_line,
    group_failures,
    mask_values,
)
from reknit.core.finding import Finding
from reknit.core.text.format import to_plain_line
from reknit.core.text.redact import clean, redact
from reknit.core.text.truncate import MARK, count_bytes, render_fairly, truncate_bytes

LEAST_BYTES = 120
"""Minimum size of a group: a line with a count, a test and the first words. Groups are merged to keep it."""
MAX_GROUP_BYTES = 3_000
"""Maximum size of a group."""
_FURTHER_TESTS = 4
"""Maximum number of tests that a group names besides its first."""
_MAX_LINE_CHARS = 4_000
_MAX_LINES = 200
_TELLING_WORDS = ("error", "fail", "panick", "assert", "expected", "exception", "received", "actual", "left:", "right:")
_EMPTY_OR_KEY_LINE = re.compile(r"\s*+(?:[A-Za-z0-9+/=]{40,}+\s*+)?")
"""An empty line, or a line of a private key whose beginning is cut off."""


def summarize_failures(findings: Sequence[Finding], *, limit_bytes: int = 12_000) -> str:
    """Render the groups of failures, largest first, each with a fair share of the space."""
    if not findings:
        return ""
    groups = group_failures(findings, most=limit_bytes // LEAST_BYTES)
    head = f"{_count_tests(len(findings))} in {len(groups)} group(s), one likely cause each, largest first."
    space = limit_bytes - count_bytes(head)
    shown_groups = groups[: max(space // LEAST_BYTES, 1)]
    note = _count_omitted_groups(groups[len(shown_groups) :])
    blocks = render_fairly(shown_groups, _render_group, space - count_bytes(note), MAX_GROUP_BYTES)
    return truncate_bytes("\n".join(filter(None, (head, *blocks, note))), limit_bytes)


def fit_feedback(feedback: str, stable_bytes: int, *, taken_bytes: int = 0) -> str:
    """Cut the feedback to a size in proportion to `stable_bytes`, the part of a run's prompts that never changes.

    All changing parts together get a quarter of that size, so that a provider's cache holds four fifths of the next
    prompt. `taken_bytes` of the quarter are used by other parts, and the feedback gets at most a fifth: over ten
    iterations prompts then grow by less than 1 % per iteration, although the first has no feedback.
    """
    return excerpt(feedback, max(min(stable_bytes // 5, stable_bytes // 4 - taken_bytes), 0))


def drop_known_lines(feedback: str, prompt: str) -> str:
    """Return the feedback without the lines that the prompt already contains."""
    known_lines = {line.strip() for line in prompt.splitlines() if len(line.strip()) > 3}
    lines = feedback.splitlines()
    new = [line for line in lines if line.strip() not in known_lines]
    if len(new) == len(lines):
        return feedback
    return "\n".join([*new, "The rest of its output is the same as above."])


def _render_group(group: Group, space: int) -> str:
    """Render the count, the first test and the headline; add the message and further tests if they fit."""
    first = group.findings[0]
    count, words = f"- {len(group.findings)}x ", f": {to_plain_line(group.headline)}"
    name, file = to_plain_line(first.subject), to_plain_line(first.file)
    place = name if not file or name.startswith(file) else f"{name} ({file})"
    place = truncate_bytes(place, max(space - count_bytes(count + words), space // 2))
    line = truncate_bytes(f"{count}{place}{words}", space)
    rest = "\n".join(text for text in first.message.splitlines() if _squeeze_words(text) != group.headline)
    further = _name_further_tests(group, (space - count_bytes(line) - 1) // (3 if rest else 1))
    message = excerpt(rest, space - count_bytes(line) - count_bytes(further) - 2, indent="    ")
    return "\n".join(filter(None, (line, message, further)))


def _name_further_tests(group: Group, space: int) -> str:
    names = [to_plain_line(finding.subject) for finding in group.findings[1 : 1 + _FURTHER_TESTS]]
    while names:
        more = len(group.findings) - 1 - len(names)
        line = f"  also {', '.join(names)}" + (f" and {more} more" if more else "")
        if count_bytes(line) <= space:
            return line
        names.pop()
    return ""


def excerpt(text: str, limit_bytes: int, *, indent: str = "") -> str:
    """Cut an output to its headline, the deepest frame in own code, lines with telling words, and its end."""
    text = clean(text).strip()
    if len(text) <= limit_bytes:
        whole = textwrap.indent(redact(text), indent)
        if count_bytes(whole) <= limit_bytes:
            return whole
    lines = text.splitlines() or [""]
    longest, room = limit_bytes * 3 // 4, limit_bytes
    shown_lines: dict[int, str] = {}
    shown_words: set[str] = set()
    for index in _indexes_by_weight(lines):
        line = indent + truncate_bytes(redact(lines[index][:_MAX_LINE_CHARS]).rstrip(), longest)
        cost = count_bytes(f"{indent}{MARK}\n{line}\n")
        if cost > room:
            break
        if _squeeze_words(line) not in shown_words:
            shown_lines[index], room = line, room - cost
            shown_words.add(_squeeze_words(line))
    return "\n".join(_mark_gaps(shown_lines, f"{indent}{MARK}"))


def _indexes_by_weight(lines: Sequence[str]) -> Iterator[int]:
    yield find_headline(lines)
    frame, source = find_own_frame(lines), find_source_line(lines)
    yield from (index for index in (source, frame.index if frame else None) if index is not None)
    telling = [index for index, line in enumerate(lines) if _is_telling(line)]
    shapes: dict[str, int] = {}
    for pair in zip(telling[:_MAX_LINES], telling[: -_MAX_LINES - 1 : -1], strict=True):
        for index in pair:  # the first and the last error of a log say the most
            shapes.setdefault(mask_values(lines[index][:200]), index)
    yield from shapes.values()
    last = range(max(len(lines) - _MAX_LINES, 0), len(lines))
    yield from (index for index in reversed(last) if not _EMPTY_OR_KEY_LINE.fullmatch(lines[index]))


def _is_telling(line: str) -> bool:
    return line.startswith("E ") or any(map(line[:_MAX_LINE_CHARS].lower().__contains__, _TELLING_WORDS))


def _squeeze_words(line: str) -> str:
    """Return the words without pytest's `E` marker: pytest prints its reason twice."""
    return " ".join(line.split()).removeprefix("E ")


def _mark_gaps(lines: Mapping[int, str], gap: str) -> Iterator[str]:
    for index in sorted(lines):
        if index - 1 not in lines and index != min(lines):
            yield gap
        yield lines[index]


def _count_omitted_groups(groups: Sequence[Group]) -> str:
    if not groups:
        return ""
    tests = sum(len(group.findings) for group in groups)
    return f"{len(groups)} more group(s) with {_count_tests(tests)} are omitted for space."


def _count_tests(count: int) -> str:
    return f"{count} failing test(s)"
