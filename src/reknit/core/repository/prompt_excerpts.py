"""Cuts a git diff, and a project's instructions to agents, to fit a prompt; notes say what is missing."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from reknit.core.repository.paths import is_foreign
from reknit.core.text.format import join_and_count
from reknit.core.text.redact import escape_hidden, redact
from reknit.core.text.truncate import count_bytes, divide_fairly, render_fairly, truncate_bytes

LEAST_BYTES = 1_000
"""Less than this of a large file is useless: the file is only named instead."""
MAX_LINE_CHARS = 400
"""Maximum length of a line in a file that is cut anyway."""
_FILE = "diff --git "
_NOTE_BYTES = 140
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_BULK = re.compile(
    r".*\.lockb?|.*[.-]lock\.(json|ya?ml)|(.*/)?(npm-shrinkwrap\.json|go\.sum)|.*\.min\.\w+|.*\.(map|snap|svg)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class FileDiff:
    """The diff of one file."""

    path: str
    lines: tuple[str, ...]
    first_hunk: int
    """Index in `lines`; the end of `lines` if there are no hunks."""

    @cached_property
    def size(self) -> int:
        """Size in bytes, including the final newline."""
        return count_bytes("\n".join(self.lines)) + 1

    @property
    def is_bulk(self) -> bool:
        """Return True if the file is generated: it is shown only if hand-written code leaves space."""
        return is_foreign(self.path) or bool(_BULK.fullmatch(self.path))

    @cached_property
    def added(self) -> int:
        return sum(line.startswith("+") for line in self.lines[self.first_hunk :])

    @cached_property
    def removed(self) -> int:
        return sum(line.startswith("-") for line in self.lines[self.first_hunk :])


def cut_diff(text: str, limit_bytes: int) -> str:
    """Cut a diff: small files whole, large files from the start. Hidden characters become visible escapes."""
    files = [_parse_file_diff(piece.split("\n")) for piece in _split_files(text)]
    if sum(file.size for file in files) <= limit_bytes + 1:
        whole = "\n".join(_show_lines(file.lines) for file in files)
        if count_bytes(whole) <= limit_bytes:
            return whole
    closing_bytes = min(1_000, limit_bytes // 3)
    shares = _allot_space(files, limit_bytes - closing_bytes)
    texts = [_fit_file(file, share) for file, share in zip(files, shares, strict=True) if share]
    closing = truncate_bytes(_render_closing(files, shares), closing_bytes - 1)
    return truncate_bytes("\n".join([*texts, closing]), limit_bytes)


def _split_files(text: str) -> Iterator[str]:
    """Split at newlines only: a content line always starts with a marker, so it cannot pass for a header."""
    before, *files = ("\n" + text.replace("\r\n", "\n").strip("\n")).split(f"\n{_FILE}")
    yield from filter(None, [before.removeprefix("\n"), *(f"{_FILE}{file}" for file in files)])


def _parse_file_diff(lines: Sequence[str]) -> FileDiff:
    hunk = next((place for place, line in enumerate(lines) if line.startswith("@@")), len(lines))
    head = [line for line in lines[:hunk] if not line.startswith("index ")]
    if "GIT binary patch" in head:
        head = [*head[: head.index("GIT binary patch")], "[a binary file, not shown]"]
    return FileDiff(_parse_path(lines[0]), (*head, *lines[hunk:]), len(head))


def _parse_path(line: str) -> str:
    """Parse the path from the line, which names it twice, as `a/` and as `b/`."""
    names = line.removeprefix(_FILE)
    one, other = (name.strip('"')[2:] for name in (names[: len(names) // 2], names[len(names) // 2 + 1 :]))
    return one if one == other else names


def _allot_space(files: Sequence[FileDiff], space: int) -> list[int]:
    """Return the bytes for each file; 0: the file is only named."""
    shares = [0] * len(files)
    for is_bulk in (False, True):
        places = [place for place, file in enumerate(files) if file.is_bulk is is_bulk]
        smallest = sorted(places, key=lambda place: files[place].size)
        least_sizes = accumulate(min(files[place].size, LEAST_BYTES) for place in smallest)
        smallest = smallest[: sum(total <= space for total in least_sizes)]
        parts = divide_fairly([files[place].size for place in smallest], space)
        for place, share in zip(smallest, parts, strict=True):
            shares[place] = share
        space -= sum(parts)
    return shares


def _fit_file(file: FileDiff, space: int) -> str:
    whole = _show_lines(file.lines) if file.size <= space else ""
    return whole if whole and count_bytes(whole) < space else _cut_file(file, space)


def _show_lines(lines: Iterable[str]) -> str:
    return escape_hidden(redact("\n".join(lines)))  # redact first: an escape would hide where a secret begins


def _cut_file(file: FileDiff, space: int) -> str:
    space -= _NOTE_BYTES
    kept_lines, room = [truncate_bytes(file.lines[0], space)], space - count_bytes(file.lines[0])
    for line in file.lines[1:]:
        line = truncate_bytes(redact(line[: 4 * MAX_LINE_CHARS]), MAX_LINE_CHARS)
        room -= count_bytes(escape_hidden(line)) + 1
        if room < 0:
            break
        kept_lines.append(line)
    return f"{truncate_bytes(_show_lines(kept_lines), space)}\n{_describe_gap(file, len(kept_lines))}"


def _describe_gap(file: FileDiff, place: int) -> str:
    """Say how much of the diff is missing from `place` on, and which lines of the file to read instead."""
    hidden = len(file.lines) - place
    if not hidden:
        return "[long lines of this file are truncated]"
    note = f"{hidden} of {len(file.lines)} lines of this file's diff are left out"
    first, last = _find_line(file, max(place, file.first_hunk)), _find_last_line(file)
    return f"[{note}: they cover lines {first}-{last} of the file]" if last >= first else f"[{note}]"


def _find_line(file: FileDiff, place: int) -> int:
    number = 1
    for line in file.lines[file.first_hunk : place]:
        number = _parse_hunk_start(line) or number + (line[:1] in ("+", " "))
    return next((begin for line in file.lines[place : place + 1] if (begin := _parse_hunk_start(line))), number)


def _parse_hunk_start(line: str) -> int:
    match = _HUNK.match(line)
    return int(match[1]) if match else 0


def _find_last_line(file: FileDiff) -> int:
    last = next((match for line in reversed(file.lines) if (match := _HUNK.match(line))), None)
    return int(last[1]) + int(last[2] or 1) - 1 if last else 0


def _render_closing(files: Sequence[FileDiff], shares: Sequence[int]) -> str:
    added, removed = sum(file.added for file in files), sum(file.removed for file in files)
    note = f"[In total {len(files)} file(s) changed, +{added} -{removed} lines; this diff is truncated to fit."
    names = [
        f"{escape_hidden(file.path)} (+{file.added} -{file.removed})"
        for file, share in zip(files, shares, strict=True)
        if not share
    ]
    more = f" {len(names)} file(s) not shown: {join_and_count(names, 20)}" if names else ""
    return redact(f"{note}{more}]")


CONVENTIONS = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
CONVENTIONS_BYTES = 4_000
_CUT_NOTE_BYTES = 80


def render_conventions(files: Sequence[tuple[str, str]], limit_bytes: int = CONVENTIONS_BYTES) -> str:
    """Render the instructions with a fair share for each file; files without text are left out."""
    sections = [(name, text.strip()) for name, text in files if text.strip()]
    return "\n\n".join(render_fairly(sections, _render_section, limit_bytes - len(sections), limit_bytes))


def _render_section(file: tuple[str, str], limit_bytes: int) -> str:
    name, text = file
    whole = f"# {name}\n{text}"
    if len(whole.encode()) <= limit_bytes:
        return whole
    note = f"[{name} is cut here: it has {len(text.encode()):,} bytes]"
    return f"{truncate_bytes(whole, limit_bytes - _CUT_NOTE_BYTES)}\n{note}"
