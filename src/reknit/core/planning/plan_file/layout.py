"""Finds the fields, sections and list items of a plan; line numbers count from 1.

Comments that begin a line are passed over, because a person who reads the rendered file does not see them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from reknit.core.planning.plan_file.plan import PlanProblem
from reknit.core.text.frontmatter import find_fences
from reknit.core.text.line_encoding import BLANKS
from reknit.core.text.yaml_fields import YamlField, read_fields

TASKS, CRITERIA = "Tasks", "Acceptance Criteria"
SECTIONS = ("Context", "Plan", TASKS, CRITERIA, "Tradeoffs", "Methodology")
NOTHING_LISTED = "None."

_HEADING = re.compile(r"##[ \t]++(.*)")
_TOP_HEADING = re.compile(r"#[ \t]")
_BULLET = re.compile(r"([ \t]*)(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)")
_NESTED_FROM = 2
"""Columns from which a bullet belongs to the item above it."""

_SLIP = 0.85
"""Similarity from which a heading is taken for a misspelt one."""
Line = tuple[int, str]


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
        """Return the text, still encoded."""
        return " ".join(word for word in self.words if word)


@dataclass
class Layout:
    """The fields and sections of a plan file, with the problems found in it."""

    fields: dict[str, YamlField] = field(default_factory=dict)
    sections: dict[str, list[Line]] = field(default_factory=dict)
    problems: list[PlanProblem] = field(default_factory=list)

    def note(self, line: int, message: str, help: str) -> None:  # noqa: A002
        self.problems.append(PlanProblem(line, message, help))


def is_structure(line: str) -> bool:
    """Return True if this line of prose would be taken for the beginning of something else."""
    return bool(_HEADING.fullmatch(line) or _TOP_HEADING.match(line))


def find_layout(text: str) -> Layout:
    """Split a plan file into fields and sections."""
    layout = Layout()
    lines = [line.rstrip(BLANKS) for line in text.removeprefix("\ufeff").split("\n")]
    fence = find_fences(lines)
    begin, end = fence.first, fence.end
    if not fence.is_open:
        layout.note(begin + 1, "the file does not begin with its fields", "put them between two lines of `---`")
        return layout
    if not end:
        layout.note(begin + 1, "the fields that begin here have no end", "put a line of `---` below them")
        return layout
    _read_fields(layout, lines[begin + 1 : end], begin + 2)
    _read_sections(layout, _hide_comments(layout, list(enumerate(lines, 1))[end + 1 :]))
    return layout


def _read_fields(layout: Layout, lines: Sequence[str], first: int) -> None:
    for entry in read_fields(lines, first):
        if not entry.name:
            layout.note(entry.line, entry.problem, "write `name: value`")
        elif entry.name in layout.fields:
            layout.note(entry.line, f"`{entry.name}` is there twice", "remove one of them")
        else:
            layout.fields[entry.name] = entry


def _hide_comments(layout: Layout, lines: Sequence[Line]) -> list[Line]:
    """Return the lines with comments blanked: each begins on a line with `<!--` and ends on one with `-->`."""
    visible_lines: list[Line] = []
    opened = 0
    for number, line in lines:
        begins = not opened and line.lstrip(" \t").startswith("<!--")
        opened = number if begins else opened
        if not opened:
            visible_lines.append((number, line))
        elif "-->" in line:
            visible_lines.append((number, line.rpartition("-->")[2].strip(" \t")))
            opened = 0
        else:
            visible_lines.append((number, ""))
    if opened:
        layout.note(opened, "the comment that begins here has no end", "put `-->` after it")
    return visible_lines


def _read_sections(layout: Layout, lines: Iterable[Line]) -> None:
    section: list[Line] = []
    for number, line in lines:
        heading = _HEADING.fullmatch(line)
        if not heading and not _TOP_HEADING.match(line):
            section.append((number, line))
            continue
        name = _normalize_name(heading[1]) if heading else ""
        section = []
        if name in layout.sections:
            layout.note(number, f"`## {name}` is there twice", "keep one of them")
        elif name in SECTIONS:
            layout.sections[name] = section
        elif near := get_close_matches(name, SECTIONS, 1, _SLIP):
            layout.note(number, f"there is no section `## {name}`", f"did you mean `## {near[0]}`?")


def _normalize_name(words: str) -> str:
    name = words.strip(" \t").rstrip("#").rstrip(" \t")
    return next((section for section in SECTIONS if section.casefold() == name.casefold()), name)


def find_items(layout: Layout, name: str) -> list[Item]:
    """Return the list in a section; lines indented below an item belong to it."""
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
