"""Cuts a git diff to what fits into a prompt: small files whole, of large ones the start; it says what is missing."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from reknit.core.repository.paths import is_foreign
from reknit.core.text.redact import redact, visible
from reknit.core.text.truncate import byte_length, fair_shares, truncate_bytes

LEAST_BYTES = 1_000
"""Less of a large file than this tells nothing: then it is only named."""
LONGEST_LINE = 400
"""Of a file that is cut anyway."""
_FILE = "diff --git "
_NOTE_BYTES = 140
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_BULK = re.compile(
    r".*\.lockb?|.*[.-]lock\.(json|ya?ml)|(.*/)?(npm-shrinkwrap\.json|go\.sum)|.*\.min\.\w+|.*\.(map|snap|svg)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class FileDiff:
    path: str
    lines: tuple[str, ...]
    first_hunk: int
    """Its place in `lines`; a file without hunks has none."""

    @cached_property
    def size(self) -> int:
        """With the newline at its end."""
        return byte_length("\n".join(self.lines)) + 1

    @property
    def is_bulk(self) -> bool:
        """Made by a program: shown only where people's own code leaves room."""
        return is_foreign(self.path) or bool(_BULK.fullmatch(self.path))

    @cached_property
    def added(self) -> int:
        return sum(line.startswith("+") for line in self.lines[self.first_hunk :])

    @cached_property
    def removed(self) -> int:
        return sum(line.startswith("-") for line in self.lines[self.first_hunk :])


def cut_diff(text: str, limit_bytes: int) -> str:
    """Hidden characters are written as escapes: a reviewer must see them."""
    files = [_read(piece.split("\n")) for piece in _by_file(text)]
    if sum(file.size for file in files) <= limit_bytes + 1:
        whole = "\n".join(_shown(file.lines) for file in files)
        if byte_length(whole) <= limit_bytes:
            return whole
    closing_bytes = min(1_000, limit_bytes // 3)
    given = _given(files, limit_bytes - closing_bytes)
    texts = [_within(file, share) for file, share in zip(files, given, strict=True) if share]
    closing = truncate_bytes(_closing(files, given), closing_bytes - 1)
    return truncate_bytes("\n".join([*texts, closing]), limit_bytes)


def _by_file(text: str) -> Iterator[str]:
    """Split at newlines only: a line of content always starts with a mark, so it cannot pass for a file's head."""
    before, *files = ("\n" + text.replace("\r\n", "\n").strip("\n")).split(f"\n{_FILE}")
    yield from filter(None, [before.removeprefix("\n"), *(f"{_FILE}{file}" for file in files)])


def _read(lines: Sequence[str]) -> FileDiff:
    hunk = next((place for place, line in enumerate(lines) if line.startswith("@@")), len(lines))
    head = [line for line in lines[:hunk] if not line.startswith("index ")]
    if "GIT binary patch" in head:
        head = [*head[: head.index("GIT binary patch")], "[a binary file, not shown]"]
    return FileDiff(_path(lines[0]), (*head, *lines[hunk:]), len(head))


def _path(line: str) -> str:
    """The line names it twice, as `a/` and as `b/`."""
    names = line.removeprefix(_FILE)
    one, other = (name.strip('"')[2:] for name in (names[: len(names) // 2], names[len(names) // 2 + 1 :]))
    return one if one == other else names


def _given(files: Sequence[FileDiff], room: int) -> list[int]:
    """Bytes for each file; 0: it is only named."""
    given = [0] * len(files)
    for is_bulk in (False, True):
        places = [place for place, file in enumerate(files) if file.is_bulk is is_bulk]
        smallest = sorted(places, key=lambda place: files[place].size)
        needed = accumulate(min(files[place].size, LEAST_BYTES) for place in smallest)
        smallest = smallest[: sum(taken <= room for taken in needed)]
        parts = fair_shares([files[place].size for place in smallest], room)
        for place, share in zip(smallest, parts, strict=True):
            given[place] = share
        room -= sum(parts)
    return given


def _within(file: FileDiff, room: int) -> str:
    whole = _shown(file.lines) if file.size <= room else ""
    return whole if whole and byte_length(whole) < room else _start(file, room)


def _shown(lines: Iterable[str]) -> str:
    return visible(redact("\n".join(lines)))  # an escape would hide where a secret begins


def _start(file: FileDiff, room: int) -> str:
    room -= _NOTE_BYTES
    chosen, left = [truncate_bytes(file.lines[0], room)], room - byte_length(file.lines[0])
    for line in file.lines[1:]:
        line = truncate_bytes(redact(line[: 4 * LONGEST_LINE]), LONGEST_LINE)
        left -= byte_length(visible(line)) + 1
        if left < 0:
            break
        chosen.append(line)
    return f"{truncate_bytes(_shown(chosen), room)}\n{_missing(file, len(chosen))}"


def _missing(file: FileDiff, place: int) -> str:
    """What follows from there on, and which lines of the file, as it is now, a reader has to look at."""
    hidden = len(file.lines) - place
    if not hidden:
        return "[long lines of this file are cut]"
    told = f"{hidden} of {len(file.lines)} lines of this file's diff are left out"
    first, last = _line_at(file, max(place, file.first_hunk)), _last_line(file)
    return f"[{told}: they are about lines {first}-{last} of it]" if last >= first else f"[{told}]"


def _line_at(file: FileDiff, place: int) -> int:
    number = 1
    for line in file.lines[file.first_hunk : place]:
        number = _begin(line) or number + (line[:1] in ("+", " "))
    return next((begin for line in file.lines[place : place + 1] if (begin := _begin(line))), number)


def _begin(line: str) -> int:
    found = _HUNK.match(line)
    return int(found[1]) if found else 0


def _last_line(file: FileDiff) -> int:
    last = next((found for line in reversed(file.lines) if (found := _HUNK.match(line))), None)
    return int(last[1]) + int(last[2] or 1) - 1 if last else 0


def _closing(files: Sequence[FileDiff], given: Sequence[int]) -> str:
    added, removed = sum(file.added for file in files), sum(file.removed for file in files)
    told = f"[In all {len(files)} file(s) change, +{added} -{removed} lines; this diff is cut to what fits."
    names = [
        f"{visible(file.path)} (+{file.added} -{file.removed})"
        for file, share in zip(files, given, strict=True)
        if not share
    ]
    more = f" Not shown are {len(names)} file(s): {', '.join(names[:20])}" if names else ""
    return redact(told + more + (f" and {len(names) - 20} more" if len(names) > 20 else "") + "]")
