"""A source file that knows its pieces again after it was edited, and the edits that people and formatters make."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

_BREAK = re.compile(r"(?<=[(\[,])\s*(?=\S)")
_NOT_BROKEN = re.compile(r"""['"`#*]|//""")
_HEAD = re.compile(r"\s*(?:export |async )*(?:def|class|function) |\s*(?:public|private) (?:async |get )?\w+\(")
_FRESH = (
    "added_{0} = prepare(left_{0}, right_{0})",
    "note_{0}()",
    "if ready_{0}: return added_{0}",
    "self.added_{0} = None",
    "const fresh_{0} = await collect(left_{0}, 4711);",
)


@dataclass
class Piece:
    uid: int
    text: str

    @property
    def indent(self) -> str:
        return self.text[: len(self.text) - len(self.text.lstrip())]


Line = list[Piece]


class Document:
    """Lines of pieces: a line is broken where a formatter may break it, but not in texts and comments."""

    def __init__(self, text: str, path: str) -> None:
        self._uids = count()
        self.path = path
        self.lines = [self.line(text) for text in text.split("\n")]

    def line(self, text: str) -> Line:
        parts = [text] if _NOT_BROKEN.search(text) else _BREAK.split(text)
        return [Piece(next(self._uids), part) for part in parts]

    @property
    def text(self) -> str:
        return "\n".join(map(shown, self.lines))

    def piece(self, line: int, column: int) -> tuple[int, int]:
        """Which piece is at that place, and how far into it; indentation is not counted."""
        at = column - 1
        for piece in self.lines[line - 1]:
            if at < len(piece.text):
                return piece.uid, at - len(piece.indent)
            at -= len(piece.text) + len(_gap(piece))
        raise IndexError(column)


def shown(line: Line) -> str:
    return "".join(piece.text + _gap(piece) for piece in line[:-1]) + line[-1].text


def _gap(piece: Piece) -> str:
    return " " if piece.text.endswith(",") else ""


Edit = Callable[[Document, random.Random, Sequence[int]], None]
"""Told the lines that have findings."""


def insert_blank_lines(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    for _ in range(rng.randint(1, 4)):
        document.lines.insert(rng.randint(0, len(document.lines)), document.line(rng.choice(("", "", "    "))))


def delete_blank_lines(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    blank = [number for number, line in enumerate(document.lines) if not shown(line).strip()]
    _delete(document, rng.sample(blank, min(len(blank), 3)))


def insert_code(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    for _ in range(rng.randint(1, 4)):
        _insert_fresh(document, rng, rng.randrange(len(document.lines)))


def insert_beside(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    for number in sorted(rng.sample(found, min(len(found), 3)), reverse=True):
        _insert_fresh(document, rng, number - rng.randint(0, 1))


def delete_code(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    """Also lines with findings: that is how they are repaired."""
    _delete(document, rng.sample(range(len(document.lines)), 4))


def delete_beside(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    _delete(document, [number - 1 + rng.choice((-1, 1)) for number in rng.sample(found, min(len(found), 2))])


def move_function(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    (start, end), (there, _) = rng.sample(_functions(document), 2)
    moved, lines = document.lines[start:end], document.lines
    if there < start:
        document.lines = lines[:there] + moved + lines[there:start] + lines[end:]
    if there >= end:
        document.lines = lines[:start] + lines[end:there] + moved + lines[there:]


def swap_functions(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    (a, b), (c, d) = sorted(rng.sample(_functions(document), 2))
    if b <= c:
        lines = document.lines
        document.lines = lines[:a] + lines[c:d] + lines[b:c] + lines[a:b] + lines[d:]


def indent_block(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    more = rng.choice(("    ", "\t", "  "))
    for line in _some_lines(document, rng):
        line[0].text = more + line[0].text if shown(line).strip() else line[0].text


def dedent_block(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    for line in _some_lines(document, rng):
        line[0].text = line[0].text.removeprefix("  ")


def split_lines(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    lines: list[Line] = []
    for line in document.lines:
        if len(line) == 1 or rng.random() < 0.5:
            lines.append(line)
            continue
        for piece in line[1:]:
            piece.text = line[0].indent + "    " + piece.text.lstrip()
        lines += [[piece] for piece in line]
    document.lines = lines


def join_lines(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    lines = document.lines[:1]
    for line in document.lines[1:]:
        before = shown(lines[-1]).rstrip()
        is_open = before.endswith(("(", "[", ",")) and not re.search(r"#|//|\*", before)
        if is_open and shown(line).strip() and rng.random() < 0.5:
            line[0].text = line[0].text.lstrip()
            lines[-1] = lines[-1] + line
        else:
            lines.append(line)
    document.lines = lines


def change_quotes(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    old, new = rng.choice(("'\"", "\"'"))
    for piece in (piece for line in document.lines for piece in line):
        piece.text = piece.text if new in piece.text else piece.text.replace(old, new)


def change_commas(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    for before, line in zip(document.lines, document.lines[1:], strict=False):
        last = before[-1].text.rstrip()
        if shown(line).strip()[:1] in (")", "]", "}") and last[-1:] not in ("(", "[", "{", "") and rng.random() < 0.5:
            before[-1].text = last.removesuffix(",") if last.endswith(",") else last + ","
        if line[-1].text.endswith(";") and rng.random() < 0.5:
            line[-1].text = line[-1].text.removesuffix(";")


def reformat(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    for edit in (split_lines, join_lines, change_quotes, change_commas, indent_block):
        edit(document, rng, found)


def rename_file(document: Document, rng: random.Random, found: Sequence[int]) -> None:
    document.path = f"package_{rng.randrange(10**6)}/{document.path.rpartition('/')[2]}"


EDITS: tuple[Edit, ...] = (
    insert_blank_lines, delete_blank_lines, insert_code, insert_beside, delete_code, delete_beside, move_function,
    swap_functions, indent_block, dedent_block, split_lines, join_lines, change_quotes, change_commas, reformat,
    rename_file,
)  # fmt: skip


def _delete(document: Document, numbers: Sequence[int]) -> None:
    gone = set(numbers)
    document.lines = [line for number, line in enumerate(document.lines) if number not in gone]


def _insert_fresh(document: Document, rng: random.Random, at: int) -> None:
    beside = document.lines[min(at, len(document.lines) - 1)][0].indent
    document.lines.insert(at, document.line(beside + rng.choice(_FRESH).format(rng.randrange(10**6))))


def _some_lines(document: Document, rng: random.Random) -> Sequence[Line]:
    start = rng.randrange(len(document.lines))
    return document.lines[start : start + rng.randint(1, 60)]


def _functions(document: Document) -> list[tuple[int, int]]:
    """Functions and classes: first line, and the one after the last."""
    indents = [len(line[0].indent.expandtabs(4)) if shown(line).strip() else None for line in document.lines]
    closing = [shown(line).strip().startswith((")", "]", "}")) for line in document.lines]
    found = []
    for start, own in enumerate(indents):
        if own is not None and _HEAD.match(shown(document.lines[start])):
            later = range(start + 1, len(indents))
            ends = (at for at in later if (it := indents[at]) is not None and it <= own and not closing[at])
            found.append((start, next(ends, len(indents))))
    return found
