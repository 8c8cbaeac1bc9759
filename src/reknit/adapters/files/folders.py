"""Creates empty folders, removes those that agents and tools wrote, and checks free disk space."""

import contextlib
import errno
import logging
import os
import re
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from reknit.adapters.files.regular_files import FOLDER_FLAGS
from reknit.core.errors import DiskFullError, InternalError, UnavailableError

REMOVAL_S = 120.0
_PASSES = 5
"""Maximum passes over a folder: something may still be writing while we remove."""
_LOG = logging.getLogger("reknit")


def make_fresh(folder: Path) -> None:
    """Make an empty folder at this path. Content that cannot be removed is moved aside."""
    if failure := remove(folder):
        aside = folder.with_name(f"{folder.name}.left-{secrets.token_hex(4)}")
        _LOG.warning("%s could not be removed and is now %s: %s", folder, aside.name, failure)
        try:
            folder.rename(aside)
        except OSError as problem:
            raise InternalError("cannot-remove", f"{str(folder)!r} could not be emptied: {failure}") from problem
    folder.mkdir(parents=True)


def discard(folder: Path) -> None:
    """Remove the folder; only log what cannot be removed, because no result depends on it."""
    if failure := remove(folder):
        _LOG.warning("%s could not be removed: %s; remove it by hand", folder, failure)


@contextlib.contextmanager
def temporary_folder(prefix: str, parent: str | None = None) -> Iterator[str]:
    """Create a folder for the duration of a block."""
    folder = tempfile.mkdtemp(prefix=prefix, dir=parent)
    try:
        yield folder
    finally:
        discard(Path(folder))


def remove(folder: Path, *, within_s: float = REMOVAL_S) -> str:
    """Remove the folder without following links. Return why something could not be removed, or an empty string."""
    try:
        facts = folder.lstat()
        if not stat.S_ISDIR(facts.st_mode):
            folder.unlink()
            return ""
        _unlock(str(folder), facts.st_mode)
        top = os.open(folder, FOLDER_FLAGS)
    except FileNotFoundError:
        return ""
    except OSError as problem:
        return _reason(problem)
    try:
        failure = _Removal(top, time.monotonic() + within_s).run()
    finally:
        os.close(top)
    try:
        folder.rmdir()
    except OSError as problem:
        return failure or _reason(problem)
    return ""


class _Removal:
    """One removal. It first moves each inner folder to the top, so that it needs no recursion and no long path."""

    def __init__(self, top: int, deadline: float) -> None:
        self._top, self._deadline = top, deadline
        self._prefix = f"{secrets.token_hex(8)}-"
        self._moved = 0
        self._failure = ""

    def run(self) -> str:
        try:
            for _ in range(_PASSES):
                self._failure = ""
                waiting = self._empty_folder(self._top)
                while waiting:
                    waiting += self._remove_folder(waiting.pop())
                with os.scandir(self._top) as entries:
                    if next(entries, None) is None:
                        return ""
        except TimeoutError:
            return "it took too long"
        except OSError as problem:
            return _reason(problem)
        return self._failure or "it is still being written to"

    def _remove_folder(self, name: str) -> list[str]:
        """Remove one folder at the top, and return the folders that were in it and are now at the top."""
        try:
            inner = os.open(name, FOLDER_FLAGS, dir_fd=self._top)
        except OSError as problem:
            self._failure = _reason(problem)
            return []
        try:
            names = self._empty_folder(inner)
        finally:
            os.close(inner)
        self._try(os.rmdir, name, self._top)
        return names

    def _empty_folder(self, folder: int) -> list[str]:
        """Empty a folder, and return the folders to remove next by their names at the top."""
        with os.scandir(folder) as entries:
            names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        folder_names = []
        for name, is_folder in names:
            if time.monotonic() > self._deadline:
                raise TimeoutError
            if not is_folder:
                self._try(os.unlink, name, folder)
            elif moved := self._move_to_top(name, folder):
                folder_names.append(moved)
        return folder_names

    def _move_to_top(self, name: str, folder: int) -> str:
        self._moved += 1
        place = f"{self._prefix}{self._moved}"
        try:
            _unlock(name, os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode, folder)
            os.rename(name, place, src_dir_fd=folder, dst_dir_fd=self._top)
        except OSError as problem:
            self._failure = _reason(problem)
            return ""
        return place

    def _try(self, act: Callable[..., None], name: str, folder: int) -> None:
        try:
            act(name, dir_fd=folder)
        except FileNotFoundError:
            pass
        except OSError as problem:
            self._failure = _reason(problem)


def _unlock(name: str, mode: int, folder: int | None = None) -> None:
    """Give ourselves all rights on a folder, through a handle: a link put in its place meanwhile has no effect."""
    if mode & stat.S_IRWXU == stat.S_IRWXU:
        return
    handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)  # noqa: PTH101 - a handle, not a path
    finally:
        os.close(handle)


def _reason(problem: OSError) -> str:
    return problem.strerror or str(problem)


LEAST_BYTES = 1_000_000
PLENTY_BYTES = 2_000_000_000
"""Minimum free space after tests reported a full disk; with less, the disk may really have been full."""
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_SAYS_NO_SPACE = re.compile(
    rb"^(?!remote: |fatal: remote error: )[^\n]*: (?:No space left on device|Disk quota exceeded)$", re.MULTILINE
)
"""Matches git's message about a full disk of this machine. The text elsewhere in a line may be a file name."""


def says_no_space(words: bytes) -> bool:
    """Return True if a failed program reports a full disk on this machine."""
    return bool(_SAYS_NO_SPACE.search(words))


def check_space(folder: Path, least_bytes: int = LEAST_BYTES) -> None:
    """Raise if the folder's disk is full or cannot be reached: a full disk could look like a failing test."""
    try:
        disk = os.statvfs(folder)
    except OSError as problem:
        message = f"{str(folder)!r} cannot be reached: {problem.strerror}"
        raise UnavailableError(
            "folder-away", message, help="make it available again, then rerun the same command"
        ) from None
    check_disk(disk, str(folder), least_bytes)


def check_disk(disk: os.statvfs_result, folder: str, least_bytes: int = LEAST_BYTES) -> None:
    """Raise if this disk is full, or has less than `least_bytes` left."""
    free = (disk.f_bfree if os.geteuid() == 0 else disk.f_bavail) * disk.f_frsize
    # A file system with no blocks does not report its size.
    if (disk.f_blocks and free < LEAST_BYTES) or (disk.f_files and not disk.f_ffree):
        raise DiskFullError(folder)
    if disk.f_blocks and free < least_bytes:
        # Not DiskFullError, which stops a worker with all its runs: untrusted code only claims a full disk.
        message = f"the disk that holds {folder!r} has too little space left for what ran here"
        raise UnavailableError("little-space", message, help="free some space there, then run the same command again")
