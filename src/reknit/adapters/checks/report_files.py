"""Finds and reads report files that untrusted code wrote: regular files only, no link followed, bounded."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

LARGEST_REPORTS = 64_000_000
"""Bytes of all reports of one run together."""
_NEVER_ENTERED = frozenset({".git", "node_modules", ".venv", "venv"})


@dataclass(frozen=True)
class Entry:
    """A report file and the stamp that tells whether it was written anew."""

    path: str
    stamp: tuple[int, int, int]


def find_reports(folder: str, glob: str) -> frozenset[Entry]:
    """Regular files below the folder that match; `**` stands for any number of folders."""
    return frozenset(entry for entry, _content in _matching(folder, glob, most=0))


def read_reports(folder: str, glob: str, *, but: frozenset[Entry] = frozenset()) -> tuple[bytes, ...]:
    """The contents of matching files but the unchanged ones in `but`. Raises ValueError when they are too large."""
    found: list[bytes] = []
    left = LARGEST_REPORTS
    for entry, content in _matching(folder, glob, most=LARGEST_REPORTS + 1):
        if entry in but:
            continue
        left -= len(content)
        if left < 0:
            raise ValueError(f"the test reports are larger than {LARGEST_REPORTS // 1_000_000} MB")
        found.append(content)
    return tuple(found)


def _matching(folder: str, glob: str, *, most: int) -> Iterator[tuple[Entry, bytes]]:
    pattern, top = _pattern(glob), folder.rstrip("/")
    for root, folders, names, descriptor in os.fwalk(top, follow_symlinks=False):
        folders[:] = sorted(name for name in folders if name not in _NEVER_ENTERED)
        for name in sorted(names):
            path = f"{root}/{name}".removeprefix(f"{top}/")
            if pattern.fullmatch(path):
                yield from _opened(path, name, descriptor, most)


def _opened(path: str, name: str, folder: int, most: int) -> Iterator[tuple[Entry, bytes]]:
    try:
        # Not blocking, because a named pipe in place of a report would wait for ever.
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return  # a link, or not ours to read
    with os.fdopen(descriptor, "rb") as stream:
        facts = os.fstat(descriptor)
        if stat.S_ISREG(facts.st_mode):
            yield Entry(path, (facts.st_ino, facts.st_mtime_ns, facts.st_size)), stream.read(most)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*|\?)", glob)
    words = {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(words.get(part, re.escape(part)) for part in parts), re.DOTALL)
