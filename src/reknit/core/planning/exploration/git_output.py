"""Reads the output of git: tracked files, the recent history and the size of a branch."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from reknit.core.planning.context import CommitLine
from reknit.core.text.format import sanitize_line

MAX_LANGUAGES = 60
READ = (b"docs", b".github", b".gitlab", b".circleci", b".reknit", b".claude", b".gemini", b".codex")
"""Folders whose files have a meaning for a plan."""
_EXTENSION = re.compile(rb"\.(?<=[^/\0]\.)([^./\0]++)\0")
"""The dot comes first, because the engine looks for a fixed byte fastest; a name that begins with it has none."""
_PIECE = 1 << 16
_USUAL = re.compile(rb"[A-Za-z0-9_+-]{1,12}")
SHORT_ID = 12
"""Fixed length in characters: git's own short ids grow with the number of objects in a clone."""
_MAX_NAME_CHARS = 80
_COMMIT = re.compile(rb"([0-9a-f]{40})\0([^\0]*)\0(-?\d{1,12})\0([^\0]*)\0\n")


@dataclass(frozen=True)
class Listing:
    """The output of `git ls-files -z`, sorted by bytes. It may have 100,000 names, so they are not read one by one."""

    raw: bytes

    def count_languages(self) -> tuple[tuple[str, int], ...]:
        """Return (extension, number of files), by extension; only those with the most files."""
        counts: Counter[str] = Counter()
        for extension, count in _count_extensions(self.raw).items():
            if _USUAL.fullmatch(extension):
                counts[f".{extension.decode('ascii').lower()}"] += count
        most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_LANGUAGES]
        return tuple(sorted(most))

    def select_top_paths(self) -> tuple[str, ...]:
        """Return the paths at the root and in the folders of `READ`, sorted; unreadable names are left out."""
        names = (name.decode("utf-8", "replace") for name in _iterate_top_names(self.raw))
        return tuple(sorted({name for name in names if name.isprintable() and "\ufffd" not in name}))


def _count_extensions(raw: bytes) -> Counter[bytes]:
    """Count piece by piece: names that stay in the processor's cache are counted faster."""
    counts: Counter[bytes] = Counter()
    at = 0
    while at < len(raw):
        end = raw.find(b"\0", at + _PIECE) + 1 or len(raw)
        counts.update(_EXTENSION.findall(raw, at, end))
        at = end
    return counts


def _iterate_top_names(raw: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(raw):
        end = raw.index(b"\0", at)
        folder, slash, _ = raw[at:end].partition(b"/")
        if not slash:
            yield folder
            at = end + 1
            continue
        end = _find_folder_end(raw, at, folder + slash)
        if folder in READ:
            yield from raw[at:end].split(b"\0")[:-1]
        at = end


def _find_folder_end(raw: bytes, low: int, folder: bytes) -> int:
    """Return where the names in a folder end; its first begins at `low`. Bisects, because names are sorted."""
    high = len(raw)
    while low < high:
        name = raw.rfind(b"\0", low, (low + high) // 2) + 1 or low
        if raw.startswith(folder, name):
            low = raw.index(b"\0", name) + 1
        else:
            high = name
    return low


def parse_log(log: bytes) -> tuple[CommitLine, ...]:
    """Return the commits of a log in our format."""
    return tuple(
        CommitLine(
            match[1].decode("ascii")[:SHORT_ID],
            _clean_line(match[4]),
            _clean_line(match[2], _MAX_NAME_CHARS),
            _format_day(match[3]),
        )
        for match in _COMMIT.finditer(log)
    )


def parse_numstat(numstat: bytes) -> tuple[int, int]:
    """Return the number of files, and of lines added and removed; a binary file has none."""
    rows = [row.split(b"\t", 2)[:2] for row in numstat.split(b"\0")[:-1]]
    return len(rows), sum(int(number) for row in rows for number in row if number.isdigit())


def _clean_line(raw: bytes, most: int = 240) -> str:
    return sanitize_line(raw.decode("utf-8", "replace"), most)


def _format_day(seconds: bytes) -> str:
    """Return the date; empty: no calendar has it."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
