"""Finds and reads report files that untrusted code wrote: regular files only, no links followed, bounded."""

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

LARGEST_REPORTS = 64_000_000
"""Total bytes of all reports of one run."""
MOST_ENTRIES = 1_000_000
"""Files and folders examined to find them."""
DEEPEST = 64
"""Levels of nested folders that are entered."""
_ANY_FOLDERS = "**"
_NEVER_ENTERED = frozenset({".git", "node_modules", ".venv", "venv"})


@dataclass(frozen=True)
class Entry:
    """A report file, with a stamp that shows whether it was rewritten."""

    path: str
    stamp: tuple[int, int, int]


def find_reports(folder: str, glob: str) -> frozenset[Entry]:
    """Regular files below the folder that match; `**` stands for any number of folders."""
    found: set[Entry] = set()
    with contextlib.suppress(ValueError):  # `read_reports` raises the same error later
        found.update(entry for entry, _content in _matching(folder, glob, most=0))
    return frozenset(found)


def read_reports(folder: str, glob: str, *, but: frozenset[Entry] = frozenset()) -> tuple[bytes, ...]:
    """The contents of matching files except unchanged ones in `but`. Raises ValueError if they are too large."""
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
    parts, top = _parts(glob), folder.rstrip("/")
    places, left = {top: _here(parts, {0})}, MOST_ENTRIES
    for root, folders, names, descriptor in os.fwalk(top, follow_symlinks=False):
        left -= len(folders) + len(names)
        if left < 0:
            raise ValueError(f"there are more than {MOST_ENTRIES} files to search for test reports")
        here = places.pop(root)
        below = {name: _below(parts, here, name) for name in folders if name not in _NEVER_ENTERED}
        is_deep = root.count("/") - top.count("/") >= DEEPEST
        folders[:] = [] if is_deep else sorted(name for name in below if below[name])
        places |= {f"{root}/{name}": below[name] for name in folders}
        for name in sorted(names):
            if len(parts) - 1 in here and _fits(name, parts[-1]):
                yield from _opened(f"{root}/{name}".removeprefix(f"{top}/"), name, descriptor, most)


def _opened(path: str, name: str, folder: int, most: int) -> Iterator[tuple[Entry, bytes]]:
    try:
        # Non-blocking: a named pipe in place of a report would block forever.
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return  # a link, or not readable
    with os.fdopen(descriptor, "rb") as stream:
        facts = os.fstat(descriptor)
        if stat.S_ISREG(facts.st_mode):
            yield Entry(path, (facts.st_ino, facts.st_mtime_ns, facts.st_size)), stream.read(most)


def _parts(glob: str) -> list[str]:
    """The parts of the glob, with consecutive `**` merged into one."""
    *folders, name = glob.split("/")
    pairs = zip(folders, [*folders[1:], ""], strict=False)
    return [*(part for part, following in pairs if (part, following) != (_ANY_FOLDERS, _ANY_FOLDERS)), name]


def _here(parts: Sequence[str], places: set[int]) -> set[int]:
    """Positions in the glob that may be reached here, since `**` also matches no folder."""
    return places | {place + 1 for place in places if parts[place] == _ANY_FOLDERS and place + 1 < len(parts)}


def _below(parts: Sequence[str], here: set[int], folder: str) -> set[int]:
    """The same, one folder deeper. All possibilities are tracked at once, so there is no backtracking."""
    stay = {place for place in here if parts[place] == _ANY_FOLDERS and place + 1 < len(parts)}
    step = {place + 1 for place in here - stay if place + 1 < len(parts) and _fits(folder, parts[place])}
    return _here(parts, stay | step)


def _fits(name: str, part: str) -> bool:
    return fnmatchcase(name, part.replace("[", "[[]"))
