"""Parses a reviewer file: frontmatter in a small part of YAML, and the instruction. Reports all problems at once."""

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass

from reknit.core.agents.reviewer import LEVELS, Level, Reviewer, ReviewerProblem
from reknit.core.text.format import sanitize_line, suggest_similar
from reknit.core.text.frontmatter import FENCE, find_fences, parse_plain_value, split_lines, strip_comment
from reknit.core.text.redact import clean, redact

EXAMPLE = f"{FENCE}\nlevel: warning\n{FENCE}"
_SHOWN_CHARS = 60


@dataclass
class FrontmatterField:
    """A field of the frontmatter, with its lines."""

    line: int
    value: str
    """Text after the colon."""
    items: list[tuple[int, str]] = dataclasses.field(default_factory=list)
    """(line, text) of the `- item` lines below it."""


@dataclass(frozen=True)
class Frontmatter:
    """A parsed file: its fields, its body, and the mistakes in it."""

    opened: int
    closed: int
    """The lines of its two fences."""
    fields: dict[str, FrontmatterField]
    body: str
    problems: tuple[ReviewerProblem, ...] = ()


def read_frontmatter(text: str) -> Frontmatter | ReviewerProblem:
    """Return the parsed frontmatter, or the problem if there is none."""
    lines = split_lines(text)
    marks = find_fences(lines)
    start, end = marks.first, marks.end
    if not marks.is_open:
        help_ = f"begin the file with these lines, then the instruction:\n{EXAMPLE}"
        return ReviewerProblem(start + 1, "it has no frontmatter", help_)
    if not end:
        return ReviewerProblem(start + 1, "its frontmatter is not closed", f"end it with a line `{FENCE}`")
    problems: list[ReviewerProblem] = []
    fields = _parse_fields(lines[start + 1 : end], start + 2, problems)
    return Frontmatter(start + 1, end + 1, fields, "\n".join(lines[end + 1 :]).strip(), tuple(problems))


def _parse_fields(lines: Sequence[str], first: int, problems: list[ReviewerProblem]) -> dict[str, FrontmatterField]:
    fields: dict[str, FrontmatterField] = {}
    last: FrontmatterField | None = None
    for number, line in enumerate(lines, first):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if last and (text == "-" or text.startswith("- ")):
            last.items.append((number, text[1:].strip()))
            continue
        name, colon, value = line.rstrip().partition(":")
        if not colon or not name or name != name.strip() or (value and value[0] not in " \t"):
            message = f"`{sanitize_line(text, _SHOWN_CHARS)}` is not a field"
            problems.append(ReviewerProblem(number, message, "write `field: value`, one per line, without indentation"))
            continue
        last = FrontmatterField(number, value.strip())
        if name in fields:
            message = f"`{sanitize_line(name, _SHOWN_CHARS)}` is set twice, first on line {fields[name].line}"
            problems.append(ReviewerProblem(number, message, "keep one of them"))
            continue
        fields[name] = last
    return fields


def parse_list(list_field: FrontmatterField) -> list[tuple[int, str | None]] | None:
    """Return (line, text or None) of each item: `[a, b]`, `a, b` or `- a` lines; None if it is not a list."""
    inline = strip_comment(list_field.value)
    if inline.startswith("[") != inline.endswith("]") or (inline and list_field.items):
        return None
    parts = inline.removeprefix("[").removesuffix("]").split(",")
    items = [(list_field.line, part.strip()) for part in parts if part.strip()]
    return [(line, parse_plain_value(item)) for line, item in (*items, *list_field.items)]


FIELDS = ("name", "level", "prefix", "languages", "agent", "model")
_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_MAX_NAME_CHARS = 40
_PREFIX = re.compile(r"[A-Z]{2,6}")
_PREFIX_CHARS_OF_WORD, _MAX_PREFIX_CHARS = 3, 6
"""Length of a prefix that is derived from a name of one word; maximum length for several words."""
_EXTENSION = re.compile(r"[a-z0-9_+#-]{1,20}")
_MAX_WORD_CHARS = 100
_EXTENSIONS = {
    "c#": "cs", "csharp": "cs", "golang": "go", "javascript": "js", "kotlin": "kt", "perl": "pl",
    "python": "py", "ruby": "rb", "rust": "rs", "shell": "sh", "typescript": "ts",
}  # fmt: skip
"""Name of a language -> its extension, to suggest the extension to people who write the name."""


def parse_reviewer(text: str, origin: str, default_name: str) -> Reviewer | tuple[ReviewerProblem, ...]:
    """Parse a reviewer file, or return all its problems.

    `origin`: the file, for people. `default_name`: its name if it does not have the field.
    """
    front = read_frontmatter(text)
    if isinstance(front, ReviewerProblem):
        return (front,)
    problems = [*front.problems, *_find_unknown_fields(front), *_find_list_values(front)]
    name = _read_name(front, default_name, problems)
    agent = front.fields.get("agent")
    reviewer = Reviewer(
        name=name,
        level=_read_level(front, problems),
        prefix=_read_prefix(front, name, problems),
        text=redact(clean(front.body)).strip(),
        languages=_read_languages(front.fields.get("languages"), problems),
        agent=_read_word("agent", agent, problems),
        model=_read_word("model", front.fields.get("model"), problems),
        origin=origin,
        agent_line=agent.line if agent else 0,
    )
    if not reviewer.text:
        help_ = "write below it what the reviewer looks for"
        problems.append(ReviewerProblem(front.closed, "it has no instruction", help_))
    return tuple(sorted(problems, key=lambda problem: problem.line)) or reviewer


def _find_unknown_fields(front: Frontmatter) -> list[ReviewerProblem]:
    return [
        ReviewerProblem(
            field.line,
            f"unknown field `{sanitize_line(name, _SHOWN_CHARS)}`",
            suggest_similar(name, FIELDS) or f"the fields are {', '.join(FIELDS)}",
        )
        for name, field in front.fields.items()
        if name not in FIELDS
    ]


def _find_list_values(front: Frontmatter) -> list[ReviewerProblem]:
    return [
        ReviewerProblem(field.items[0][0], f"`{name}` takes one value, not a list", f"write `{name}: …` on one line")
        for name, field in front.fields.items()
        if field.items and name in FIELDS and name != "languages"
    ]


def _read_name(front: Frontmatter, default: str, problems: list[ReviewerProblem]) -> str:
    field = front.fields.get("name")
    text = field.value if field else default
    name = (parse_plain_value(text) or "") if field else default
    if len(name) <= _MAX_NAME_CHARS and _NAME.fullmatch(name):
        return name
    better = "-".join(re.findall("[a-z0-9]+", name.lower()))[:_MAX_NAME_CHARS].strip("-") or "my-reviewer"
    expected = "is not a reviewer's name: expected lower-case letters, digits and hyphens"
    message = f"`{sanitize_line(text, _SHOWN_CHARS)}` {expected}" if text else "`name` is empty"
    problems.append(ReviewerProblem(field.line if field else front.opened, message, f"write `name: {better}`"))
    return ""


def _read_level(front: Frontmatter, problems: list[ReviewerProblem]) -> Level:
    field = front.fields.get("level")
    text = parse_plain_value(field.value) if field else ""
    level = next((level for level in LEVELS if level == text), None)
    if level:
        return level
    if field is None:
        help_ = f"add `level: warning`; the levels are {', '.join(LEVELS)}"
        problems.append(ReviewerProblem(front.opened, "`level` is missing", help_))
    else:
        message = f"`{sanitize_line(field.value, _SHOWN_CHARS)}` is not a level" if field.value else "`level` is empty"
        help_ = suggest_similar(field.value, LEVELS) or f"the levels are {', '.join(LEVELS)}"
        problems.append(ReviewerProblem(field.line, message, help_))
    return LEVELS[0]


def _read_prefix(front: Frontmatter, name: str, problems: list[ReviewerProblem]) -> str:
    field = front.fields.get("prefix")
    if field is None:
        prefix = derive_prefix(name)
        if name and not prefix:
            message = f"no prefix can be derived from the name `{name}`"
            help_ = "add one of 2 to 6 capital letters, such as `prefix: ABC`"
            problems.append(ReviewerProblem(front.opened, message, help_))
        return prefix
    prefix = parse_plain_value(field.value) or ""
    if not _PREFIX.fullmatch(prefix):
        better = "".join(re.findall("[A-Z]", prefix.upper()))[:_MAX_PREFIX_CHARS]
        help_ = f"did you mean `{better}`?" if len(better) > 1 else "for example `prefix: SEC`"
        message = f"`prefix` must be 2 to 6 capital letters, not `{sanitize_line(field.value, _SHOWN_CHARS)}`"
        problems.append(ReviewerProblem(field.line, message, help_))
    return prefix


def derive_prefix(name: str) -> str:
    """Return `SEC` for security, `AC` for api-contracts; empty if the name has too few letters."""
    parts = re.findall("[a-z]+", name)
    letters = "".join(part[0] for part in parts) if len(parts) > 1 else "".join(parts)[:_PREFIX_CHARS_OF_WORD]
    return letters[:_MAX_PREFIX_CHARS].upper() if len(letters) > 1 else ""


def _read_languages(field: FrontmatterField | None, problems: list[ReviewerProblem]) -> tuple[str, ...]:
    if field is None:
        return ()
    items = parse_list(field)
    if items is None:
        problems.append(ReviewerProblem(field.line, "`languages` is not a list", "write `languages: [py, ts]`"))
        return ()
    extensions = []
    for line, item in items:
        extension = (item or "").removeprefix(".").lower()
        if extension in _EXTENSIONS or extension == "all" or not _EXTENSION.fullmatch(extension):
            problems.append(_reject_extension(line, item or "", extension))
        extensions.append(extension)
    return tuple(dict.fromkeys(extensions))


def _reject_extension(line: int, item: str, extension: str) -> ReviewerProblem:
    help_ = "write `languages: [py, ts]`"
    if extension == "all":
        help_ = "leave `languages` out to review all files"
    elif extension in _EXTENSIONS:
        help_ = f"did you mean `{_EXTENSIONS[extension]}`?"
    return ReviewerProblem(line, f"`{sanitize_line(item, _SHOWN_CHARS)}` is not a file extension", help_)


def _read_word(name: str, field: FrontmatterField | None, problems: list[ReviewerProblem]) -> str:
    """Return the word; empty if the field is empty or invalid. An invalid one is added to the problems."""
    if field is None:
        return ""
    text = parse_plain_value(field.value)
    if text is None or len(text) > _MAX_WORD_CHARS or len(text.split()) > 1 or not text.isprintable():
        message = f"`{name}` must be one word, not `{sanitize_line(field.value, _SHOWN_CHARS)}`"
        problems.append(ReviewerProblem(field.line, message, f"write `{name}: …` without spaces"))
        return ""
    return text
