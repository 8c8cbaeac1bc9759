"""The frontmatter of a reviewer file as fields with their lines: a small part of YAML, one line per value."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reknit.core.agents.reviewer import ReviewerProblem
from reknit.core.text.format import words

FENCE = "---"
EXAMPLE = f"{FENCE}\nlevel: warning\n{FENCE}"
_STRUCTURED = ("[", "{", "|", ">", "&", "*", "!")
"""How YAML starts a value that is more than a word or a line of text."""
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
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[start].rstrip() != FENCE:
        help_ = f"begin the file with these lines, then the instruction:\n{EXAMPLE}"
        return ReviewerProblem(start + 1, "it has no frontmatter", help_)
    end = next((number for number in range(start + 1, len(lines)) if lines[number].rstrip() == FENCE), 0)
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


def plain(written: str) -> str | None:
    """The text of a value, without quotes or comment; None if it is not text on one line."""
    if written[:1] in ('"', "'"):
        inner, closing, rest = written[1:].partition(written[0])
        return inner.strip() if closing and _is_comment(rest) else None
    text = _without_comment(written)
    return None if text.startswith(_STRUCTURED) else text


def listed(written: Field) -> list[tuple[int, str | None]] | None:
    """(line, text or None) of each item: `[a, b]`, `a, b` or `- a` lines; None if it is not a list."""
    inline = _without_comment(written.value)
    if inline.startswith("[") != inline.endswith("]") or (inline and written.items):
        return None
    parts = inline.removeprefix("[").removesuffix("]").split(",")
    items = [(written.line, part.strip()) for part in parts if part.strip()]
    return [(line, plain(item)) for line, item in (*items, *written.items)]


def _without_comment(text: str) -> str:
    return "" if text.startswith("#") else text.partition(" #")[0].strip()


def _is_comment(rest: str) -> bool:
    return not rest.strip() or rest.startswith(" #")
