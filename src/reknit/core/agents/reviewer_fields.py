"""The frontmatter of a reviewer file as fields with their lines: a small part of YAML, one line per value."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reknit.core.agents.reviewer import ReviewerProblem
from reknit.core.text.format import words
from reknit.core.text.frontmatter import FENCE, fences, lines_of, plain, without_comment

EXAMPLE = f"{FENCE}\nlevel: warning\n{FENCE}"
_SHOWN = 60


@dataclass
class Field:
    line: int
    value: str
    """As written after the colon."""
    items: list[tuple[int, str]] = field(default_factory=list)
    """(line, text) of the `- item` lines below it."""


@dataclass(frozen=True)
class Frontmatter:
    opened: int
    closed: int
    """The lines of its two fences."""
    fields: dict[str, Field]
    body: str
    problems: tuple[ReviewerProblem, ...] = ()


def read_frontmatter(text: str) -> Frontmatter | ReviewerProblem:
    lines = lines_of(text)
    found = fences(lines)
    start, end = found.first, found.end
    if not found.is_open:
        help_ = f"begin the file with these lines, then the instruction:\n{EXAMPLE}"
        return ReviewerProblem(start + 1, "it has no frontmatter", help_)
    if not end:
        return ReviewerProblem(start + 1, "its frontmatter is not closed", f"end it with a line `{FENCE}`")
    problems: list[ReviewerProblem] = []
    fields = _fields(lines[start + 1 : end], start + 2, problems)
    return Frontmatter(start + 1, end + 1, fields, "\n".join(lines[end + 1 :]).strip(), tuple(problems))


def _fields(lines: Sequence[str], first: int, problems: list[ReviewerProblem]) -> dict[str, Field]:
    found: dict[str, Field] = {}
    last: Field | None = None
    for number, line in enumerate(lines, first):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if last and (text == "-" or text.startswith("- ")):
            last.items.append((number, text[1:].strip()))
            continue
        name, colon, value = line.rstrip().partition(":")
        if not colon or not name or name != name.strip() or (value and value[0] not in " \t"):
            what = f"`{words(text, _SHOWN)}` is not a field"
            problems.append(ReviewerProblem(number, what, "write `field: value`, one per line, without indentation"))
            continue
        last = Field(number, value.strip())
        if name in found:
            what = f"`{words(name, _SHOWN)}` is set twice, first on line {found[name].line}"
            problems.append(ReviewerProblem(number, what, "keep one of them"))
            continue
        found[name] = last
    return found


def listed(written: Field) -> list[tuple[int, str | None]] | None:
    """(line, text or None) of each item: `[a, b]`, `a, b` or `- a` lines; None if it is not a list."""
    inline = without_comment(written.value)
    if inline.startswith("[") != inline.endswith("]") or (inline and written.items):
        return None
    parts = inline.removeprefix("[").removesuffix("]").split(",")
    items = [(written.line, part.strip()) for part in parts if part.strip()]
    return [(line, plain(item)) for line, item in (*items, *written.items)]
