"""Finds and reads report files that untrusted code wrote: only regular files of bounded size, never through links."""

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

LARGEST_REPORTS = 64_000_000
"""Maximum total bytes of all reports of one run."""
MAX_ENTRIES = 1_000_000
"""Maximum files and folders examined to find them."""
DEEPEST = 64
"""Maximum levels of nested folders that are entered."""
_ANY_FOLDERS = "**"
_NEVER_ENTERED = frozenset({".git", "node_modules", ".venv", "venv"})


@dataclass(frozen=True)
class Entry:
    """A report file, with a stamp that shows whether it was rewritten."""

    path: str
    stamp: tuple[int, int, int]


def find_reports(folder: str, glob: str) -> frozenset[Entry]:
    """Return the regular files below the folder that match; `**` stands for any number of folders."""
    entries: set[Entry] = set()
    with contextlib.suppress(ValueError):  # `read_reports` raises the same error later
        entries.update(entry for entry, _content in _read_matching(folder, glob, most=0))
    return frozenset(entries)


def read_reports(folder: str, glob: str, *, but: frozenset[Entry] = frozenset()) -> tuple[bytes, ...]:
    """Read the matching files except unchanged ones in `but`. Raise ValueError if they are too large."""
    contents: list[bytes] = []
    remaining = LARGEST_REPORTS
    for entry, content in _read_matching(folder, glob, most=LARGEST_REPORTS + 1):
        if entry in but:
            continue
        remaining -= len(content)
        if remaining < 0:
            raise ValueError(f"the test reports are larger than {LARGEST_REPORTS // 1_000_000} MB")
        contents.append(content)
    return tuple(contents)


def _read_matching(folder: str, glob: str, *, most: int) -> Iterator[tuple[Entry, bytes]]:
    parts, top = _split_glob(glob), folder.rstrip("/")
    places, remaining = {top: _add_skipped(parts, {0})}, MAX_ENTRIES
    for root, folders, names, descriptor in os.fwalk(top, follow_symlinks=False):
        remaining -= len(folders) + len(names)
        if remaining < 0:
            raise ValueError(f"there are more than {MAX_ENTRIES} files to search for test reports")
        here = places.pop(root)
        below = {name: _enter_folder(parts, here, name) for name in folders if name not in _NEVER_ENTERED}
        is_deep = root.count("/") - top.count("/") >= DEEPEST
        folders[:] = [] if is_deep else sorted(name for name in below if below[name])
        places |= {f"{root}/{name}": below[name] for name in folders}
        for name in sorted(names):
            if len(parts) - 1 in here and _matches(name, parts[-1]):
                yield from _read_entry(f"{root}/{name}".removeprefix(f"{top}/"), name, descriptor, most)


def _read_entry(path: str, name: str, folder: int, most: int) -> Iterator[tuple[Entry, bytes]]:
    try:
        # Non-blocking: a named pipe in place of a report would block forever.
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return  # a link, or not readable
    with os.fdopen(descriptor, "rb") as stream:
        facts = os.fstat(descriptor)
        if stat.S_ISREG(facts.st_mode):
            yield Entry(path, (facts.st_ino, facts.st_mtime_ns, facts.st_size)), stream.read(most)


def _split_glob(glob: str) -> list[str]:
    """Return the parts of the glob, with consecutive `**` merged into one."""
    *folders, name = glob.split("/")
    pairs = zip(folders, [*folders[1:], ""], strict=False)
    return [*(part for part, following in pairs if (part, following) != (_ANY_FOLDERS, _ANY_FOLDERS)), name]


def _add_skipped(parts: Sequence[str], places: set[int]) -> set[int]:
    """Return the positions in the glob that may be reached here, since `**` also matches no folder."""
    return places | {place + 1 for place in places if parts[place] == _ANY_FOLDERS and place + 1 < len(parts)}


def _enter_folder(parts: Sequence[str], here: set[int], folder: str) -> set[int]:
    """Return the positions one folder deeper. All possibilities are tracked at once, so there is no backtracking."""
    stay = {place for place in here if parts[place] == _ANY_FOLDERS and place + 1 < len(parts)}
    step = {place + 1 for place in here - stay if place + 1 < len(parts) and _matches(folder, parts[place])}
    return _add_skipped(parts, stay | step)


def _matches(name: str, part: str) -> bool:
    return fnmatchcase(name, part.replace("[", "[[]"))
