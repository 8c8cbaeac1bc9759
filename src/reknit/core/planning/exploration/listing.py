"""What the list of tracked files tells: regular expressions over its bytes, because there may be 100,000 names."""

import re
from collections import Counter
from dataclasses import dataclass

MOST_LANGUAGES = 60
_EXTENSION = re.compile(rb"\.(?<=[^/\0]\.)([A-Za-z0-9_+-]{1,12})\0")
"""The dot comes first, because the engine looks for a fixed byte fastest; a name that begins with it has none."""
_NEAR_THE_TOP = re.compile(
    rb"\0((?:docs|\.github|\.gitlab|\.circleci|\.reknit|\.claude|\.gemini|\.codex)/[^\0]++|[^/\0]++)(?=\0)"
)


@dataclass(frozen=True)
class Listing:
    """The output of `git ls-files -z`."""

    raw: bytes

    def languages(self) -> tuple[tuple[str, int], ...]:
        """(extension, number of files), by extension; those with the most files."""
        counts: Counter[str] = Counter()
        for extension, count in Counter(_EXTENSION.findall(self.raw)).items():
            counts[f".{extension.decode('ascii').lower()}"] += count
        most = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:MOST_LANGUAGES]
        return tuple(sorted(most))

    def near_the_top(self) -> tuple[str, ...]:
        """Paths at the root and in the folders that exploration reads, sorted; names that are no UTF-8 are left out."""
        found = _NEAR_THE_TOP.findall(b"\0" + self.raw)
        return tuple(sorted({name.decode() for name in found if _is_utf8(name)}))


def _is_utf8(name: bytes) -> bool:
    return name.isascii() or name.decode("utf-8", "ignore").encode() == name
