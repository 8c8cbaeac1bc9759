"""Copies small carried entries into a fresh tree, so that tests can write, replace and remove them there."""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.files.folders import discard
from reknit.adapters.files.free_space import NO_SPACE
from reknit.core.errors import DiskFull


@dataclass(frozen=True)
class CopyLimit:
    files: int
    bytes: int


FOLDER = CopyLimit(500, 10_000_000)
"""A larger folder is not copied: a box lays an overlay over it instead, which costs the same for any size."""
TOTAL = CopyLimit(20_000, 200_000_000)


class _NotCopied(Exception):
    """Too large, or not only files, folders and links."""


def copy_small(repository: str, tree: str, entries: Sequence[str]) -> tuple[str, ...]:
    """Returns what was copied. Nothing that the tree already has is replaced, and no link is followed."""
    here = [entry for entry in entries if _is_reached_plainly(repository, entry)]
    free = [entry for entry in here if _is_reached_plainly(tree, entry) and not os.path.lexists(Path(tree, entry))]
    copied: list[str] = []
    files = size = 0
    for entry in sorted(free, key=lambda entry: Path(repository, entry).is_dir()):
        limit = CopyLimit(TOTAL.files - files, TOTAL.bytes - size)
        if Path(repository, entry).is_dir():
            limit = CopyLimit(min(FOLDER.files, limit.files), min(FOLDER.bytes, limit.bytes))
        try:
            used = _measure(Path(repository, entry), limit)
            _copy(Path(repository, entry), Path(tree, entry))
        except (_NotCopied, OSError) as problem:
            discard(Path(tree, entry))
            if isinstance(problem, OSError) and problem.errno in NO_SPACE:
                raise DiskFull(tree) from problem
            continue
        copied.append(entry)
        files, size = files + used.files, size + used.bytes
    return tuple(copied)


def _is_reached_plainly(top: str, entry: str) -> bool:
    """Only through folders, none of which is a link."""
    parts = Path(entry).parts
    if not parts or entry.startswith("/") or ".." in parts:
        return False
    steps = [Path(top, *parts[:count]) for count in range(1, len(parts))]
    return all(not step.is_symlink() and (step.is_dir() or not step.exists()) for step in steps)


def _measure(top: Path, limit: CopyLimit) -> CopyLimit:
    files = size = 0
    for facts in _facts(top):
        kind = stat.S_IFMT(facts.st_mode)
        files, size = files + 1, size + (facts.st_size if kind == stat.S_IFREG else 0)
        if kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK) or files > limit.files or size > limit.bytes:
            raise _NotCopied
    return CopyLimit(files, size)


def _facts(top: Path) -> Iterator[os.stat_result]:
    facts = top.lstat()
    if stat.S_ISLNK(facts.st_mode):
        raise _NotCopied  # a link inside a carried folder is copied as a link, but none is carried itself
    yield facts
    waiting = [top] if stat.S_ISDIR(facts.st_mode) else []
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                yield entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))


def _copy(source: Path, place: Path) -> None:
    """Times stay: `make` compares them with those of the tree's own files."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, place, symlinks=True)
    else:
        shutil.copy2(source, place, follow_symlinks=False)
