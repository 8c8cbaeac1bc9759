"""What a prompt shows of failures: grouped by cause, cut to what matters, bounded in size."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from reknit.core.evidence.failure_groups import Group, grouped, headline_index, shape_of, source_index
from reknit.core.evidence.frames import own_frame
from reknit.core.finding import Finding
from reknit.core.text.redact import clean, redact
from reknit.core.text.truncate import MARK, byte_length, in_fair_shares, truncate_bytes

LEAST_BYTES = 120
"""One line with a count, a test and the failure's first words; groups are merged before any gets less than this."""
MOST_BYTES = 3_000
"""More than this of one failure is transcript, not evidence."""
FURTHER = 4
_LONGEST_LINE = 4_000
_MOST_LINES = 200
_TELLING = ("error", "fail", "panick", "assert", "expected", "exception", "received", "actual", "left:", "right:")
_UNTOLD = re.compile(r"\s*+(?:[A-Za-z0-9+/=]{40,}+\s*+)?")
"""An empty line, or a line of a key whose beginning is cut off."""


def digest(findings: Sequence[Finding], *, limit_bytes: int = 12_000) -> str:
    """Every group of failures, largest first, each with a fair share of the space."""
    if not findings:
        return ""
    groups = grouped(findings, most=limit_bytes // LEAST_BYTES)
    head = f"{_tests(len(findings))} in {len(groups)} group(s), one likely cause each, largest first."
    space = limit_bytes - byte_length(head)
    kept = groups[: max(space // LEAST_BYTES, 1)]
    note = _left_out(groups[len(kept) :])
    blocks = in_fair_shares(kept, _block, space - byte_length(note), MOST_BYTES)
    return truncate_bytes("\n".join(filter(None, (head, *blocks, note))), limit_bytes)


def fitted(feedback: str, stable_bytes: int, *, taken_bytes: int = 0) -> str:
    """Cut in proportion to what stays the same in a run's prompts.

    Everything that changes gets a quarter of that size, so four fifths of the next prompt are in a provider's cache.
    `taken_bytes` of the quarter surround the feedback, which itself gets at most a fifth: over ten iterations prompts
    grow by less than 1 % per iteration, even though the first has no feedback.
    """
    return excerpt(feedback, max(min(stable_bytes // 5, stable_bytes // 4 - taken_bytes), 0))


def news(feedback: str, known: str) -> str:
    """The feedback without the lines that the prompt already contains."""
    said = {line.strip() for line in known.splitlines() if len(line.strip()) > 3}
    lines = feedback.splitlines()
    new = [line for line in lines if line.strip() not in said]
    if len(new) == len(lines):
        return feedback
    return "\n".join([*new, "The rest of its output is the same as above."])


def _block(group: Group, space: int) -> str:
    """Always the line with count, test and headline; the message and further tests if they fit."""
    first = group.findings[0]
    count, words = f"- {len(group.findings)}x ", f": {_plain(group.headline)}"
    name, file = _plain(first.subject), _plain(first.file)
    place = name if not file or name.startswith(file) else f"{name} ({file})"
    place = truncate_bytes(place, max(space - byte_length(count + words), space // 2))
    line = truncate_bytes(f"{count}{place}{words}", space)
    rest = "\n".join(text for text in first.message.splitlines() if _words(text) != group.headline)
    further = _further(group, (space - byte_length(line) - 1) // (3 if rest else 1))
    message = excerpt(rest, space - byte_length(line) - byte_length(further) - 2, indent="    ")
    return "\n".join(filter(None, (line, message, further)))


def _further(group: Group, space: int) -> str:
    names = [_plain(finding.subject) for finding in group.findings[1 : 1 + FURTHER]]
    while names:
        more = len(group.findings) - 1 - len(names)
        line = f"  also {', '.join(names)}" + (f" and {more} more" if more else "")
        if byte_length(line) <= space:
            return line
        names.pop()
    return ""


def excerpt(text: str, limit_bytes: int, *, indent: str = "") -> str:
    """What matters in an output: the line that says what went wrong, the last own frame, telling lines, the end."""
    text = clean(text).strip()
    if len(text) <= limit_bytes:
        whole = textwrap.indent(redact(text), indent)
        if byte_length(whole) <= limit_bytes:
            return whole
    lines = text.splitlines() or [""]
    longest, left = limit_bytes * 3 // 4, limit_bytes
    chosen: dict[int, str] = {}
    seen: set[str] = set()
    for index in _by_weight(lines):
        line = indent + truncate_bytes(redact(lines[index][:_LONGEST_LINE]).rstrip(), longest)
        cost = byte_length(f"{indent}{MARK}\n{line}\n")
        if cost > left:
            break
        if _words(line) not in seen:
            chosen[index], left = line, left - cost
            seen.add(_words(line))
    return "\n".join(_with_gaps(chosen, f"{indent}{MARK}"))


def _by_weight(lines: Sequence[str]) -> Iterator[int]:
    yield headline_index(lines)
    frame, source = own_frame(lines), source_index(lines)
    yield from (index for index in (source, frame.index if frame else None) if index is not None)
    telling = [index for index, line in enumerate(lines) if _is_telling(line)]
    shapes: dict[str, int] = {}
    for pair in zip(telling[:_MOST_LINES], telling[: -_MOST_LINES - 1 : -1], strict=True):
        for index in pair:  # the first and the last error of a log say the most
            shapes.setdefault(shape_of(lines[index][:200]), index)
    yield from shapes.values()
    last = range(max(len(lines) - _MOST_LINES, 0), len(lines))
    yield from (index for index in reversed(last) if not _UNTOLD.fullmatch(lines[index]))


def _is_telling(line: str) -> bool:
    return line.startswith("E ") or any(map(line[:_LONGEST_LINE].lower().__contains__, _TELLING))


def _words(line: str) -> str:
    """Without pytest's `E` marker: pytest prints its reason twice."""
    return " ".join(line.split()).removeprefix("E ")


def _with_gaps(chosen: Mapping[int, str], gap: str) -> Iterator[str]:
    for index in sorted(chosen):
        if index - 1 not in chosen and index != min(chosen):
            yield gap
        yield chosen[index]


def _left_out(groups: Sequence[Group]) -> str:
    if not groups:
        return ""
    tests = sum(len(group.findings) for group in groups)
    return f"{len(groups)} more group(s) with {_tests(tests)} are omitted for space."


def _tests(count: int) -> str:
    return f"{count} failing test(s)"


def _plain(text: str) -> str:
    """The repository chooses a test's name: it must not add lines or secrets."""
    return " ".join(redact(clean(text)).split())
