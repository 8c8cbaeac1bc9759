"""Where the fields, sections and list items of a plan are; line numbers count from 1.

Comments that begin a line are passed over, as a person who reads the rendered file does not see them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reknit.core.planning.plan_file.plan import PlanProblem
from reknit.core.text.frontmatter import fences
from reknit.core.text.line_encoding import BLANKS

TASKS, CRITERIA = "Tasks", "Acceptance Criteria"
SECTIONS = ("Context", "Plan", TASKS, CRITERIA, "Tradeoffs", "Methodology")
NOTHING_LISTED = "None."

_FIELD = re.compile(r"([A-Za-z_][\w-]*)[ \t]*+:(?:[ \t]++(.*)|$)")
_FIELD_ITEM = re.compile(r"[ \t]*+-(?:[ \t]++(.*)|$)")
_HEADING = re.compile(r"##[ \t]++(.*)")
_TOP_HEADING = re.compile(r"#[ \t]")
_BULLET = re.compile(r"([ \t]*)(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)")
_NESTED_FROM = 2
"""Columns from which a bullet belongs to the item above it."""

Line = tuple[int, str]


@dataclass
class Field:
    line: int
    written: str
    items: list[Line] = field(default_factory=list)
    """Of a list below it."""


@dataclass
class Item:
    """One entry of a list."""

    line: int
    last: int
    """The last line of its own text."""
    words: list[str]
    below: list["Item"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Still encoded."""
        return " ".join(word for word in self.words if word)


@dataclass
class Layout:
    fields: dict[str, Field] = field(default_factory=dict)
    sections: dict[str, list[Line]] = field(default_factory=dict)
    problems: list[PlanProblem] = field(default_factory=list)

    def note(self, line: int, what: str, help: str) -> None:  # noqa: A002
        self.problems.append(PlanProblem(line, what, help))


def is_structure(line: str) -> bool:
    """Whether this line of prose would be taken for the beginning of something else."""
    return bool(_HEADING.fullmatch(line) or _TOP_HEADING.match(line))


def find_layout(text: str) -> Layout:
    layout = Layout()
    lines = [line.rstrip(BLANKS) for line in text.removeprefix("\ufeff").split("\n")]
    found = fences(lines)
    begin, end = found.first, found.end
    if not found.is_open:
        layout.note(begin + 1, "the file does not begin with its fields", "put them between two lines of `---`")
        return layout
    if not end:
        layout.note(begin + 1, "the fields that begin here have no end", "put a line of `---` below them")
        return layout
    _read_fields(layout, list(enumerate(lines, 1))[begin + 1 : end])
    _read_sections(layout, _visible(layout, list(enumerate(lines, 1))[end + 1 :]))
    return layout


def _read_fields(layout: Layout, lines: Iterable[Line]) -> None:
    last: Field | None = None
    for number, line in lines:
        if not line or line.lstrip(" \t").startswith("#"):
            continue
        if last and (item := _FIELD_ITEM.fullmatch(line)):
            last.items.append((number, item[1] or ""))
        elif found := _FIELD.fullmatch(line):
            if found[1] in layout.fields:
                layout.note(number, f"`{found[1]}` is there twice", "remove one of them")
            last = Field(number, found[2] or "")
            layout.fields.setdefault(found[1], last)
        elif last and line[0] in " \t":
            last.items.append((number, "{"))  # more than a list of words; only fields of others may have it
        else:
            layout.note(number, "this is no field", "write `name: value`")


def _visible(layout: Layout, lines: Sequence[Line]) -> list[Line]:
    """Without comments: each takes its lines from the one that begins with `<!--` to the one with `-->`."""
    shown: list[Line] = []
    opened = 0
    for number, line in lines:
        begins = not opened and line.lstrip(" \t").startswith("<!--")
        opened = number if begins else opened
        if not opened:
            shown.append((number, line))
        elif "-->" in line:
            shown.append((number, line.rpartition("-->")[2].strip(" \t")))
            opened = 0
        else:
            shown.append((number, ""))
    if opened:
        layout.note(opened, "the comment that begins here has no end", "put `-->` after it")
    return shown


def _read_sections(layout: Layout, lines: Iterable[Line]) -> None:
    section: list[Line] = []
    for number, line in lines:
        heading = _HEADING.fullmatch(line)
        if not heading and not _TOP_HEADING.match(line):
            section.append((number, line))
            continue
        name = _canonical(heading[1]) if heading else ""
        section = []
        if name in layout.sections:
            layout.note(number, f"`## {name}` is there twice", "keep one of them")
        elif name in SECTIONS:
            layout.sections[name] = section


def _canonical(words: str) -> str:
    name = words.strip(" \t").rstrip("#").rstrip(" \t")
    return next((each for each in SECTIONS if each.casefold() == name.casefold()), name)


def find_items(layout: Layout, name: str) -> list[Item]:
    """The list in this section; what is indented below an item belongs to it."""
    items: list[Item] = []
    for number, line in layout.sections.get(name, ()):
        bullet = _BULLET.match(line)
        if bullet and len(bullet[1].expandtabs(4)) < _NESTED_FROM:
            items.append(Item(number, number, [line[bullet.end() :]]))
        elif bullet and items:
            items[-1].below.append(Item(number, number, [line[bullet.end() :]]))
        elif items and line and line[0] in " \t":
            owner = items[-1].below[-1] if items[-1].below else items[-1]
            owner.words.append(line.strip(" \t"))
            owner.last = number
        elif line and line != NOTHING_LISTED:
            layout.note(number, f"this line below `## {name}` is no item of a list", "begin it with `- `")
    return items
