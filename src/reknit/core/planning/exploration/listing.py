"""What the list of tracked files tells; there may be 100,000 names, so they are not looked at one by one."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

MOST_LANGUAGES = 60
READ = (b"docs", b".github", b".gitlab", b".circleci", b".reknit", b".claude", b".gemini", b".codex")
"""Folders whose files have a meaning for a plan."""
_EXTENSION = re.compile(rb"\.(?<=[^/\0]\.)([^./\0]++)\0")
"""The dot comes first, because the engine looks for a fixed byte fastest; a name that begins with it has none."""
_PIECE = 1 << 16
_USUAL = re.compile(rb"[A-Za-z0-9_+-]{1,12}")


@dataclass(frozen=True)
class Listing:
    """The output of `git ls-files -z`, which is sorted by bytes."""

    raw: bytes

    def languages(self) -> tuple[tuple[str, int], ...]:
        """(extension, number of files), by extension; those with the most files."""
        counts: Counter[str] = Counter()
        for extension, count in _extensions(self.raw).items():
            if _USUAL.fullmatch(extension):
                counts[f".{extension.decode('ascii').lower()}"] += count
        most = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:MOST_LANGUAGES]
        return tuple(sorted(most))

    def near_the_top(self) -> tuple[str, ...]:
        """Paths at the root and in the folders of `READ`, sorted; names that nobody can read are left out."""
        names = (name.decode("utf-8", "replace") for name in _near(self.raw))
        return tuple(sorted({name for name in names if name.isprintable() and "\ufffd" not in name}))


def _extensions(raw: bytes) -> Counter[bytes]:
    """Piece by piece: names that stay in the processor's cache are counted faster."""
    counts: Counter[bytes] = Counter()
    at = 0
    while at < len(raw):
        end = raw.find(b"\0", at + _PIECE) + 1 or len(raw)
        counts.update(_EXTENSION.findall(raw, at, end))
        at = end
    return counts


def _near(raw: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(raw):
        end = raw.index(b"\0", at)
        folder, slash, _ = raw[at:end].partition(b"/")
        if not slash:
            yield folder
            at = end + 1
            continue
        end = _end_of(raw, at, folder + slash)
        if folder in READ:
            yield from raw[at:end].split(b"\0")[:-1]
        at = end


def _end_of(raw: bytes, low: int, folder: bytes) -> int:
    """Where the names in that folder end, the first of which begins at `low`: bisects, because they are sorted."""
    high = len(raw)
    while low < high:
        name = raw.rfind(b"\0", low, (low + high) // 2) + 1 or low
        if raw.startswith(folder, name):
            low = raw.index(b"\0", name) + 1
        else:
            high = name
    return low
