"""Creates empty folders, and removes those that agents and tools wrote, however deep, locked or large."""

import contextlib
import logging
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from reknit.core.errors import InternalError

REMOVAL_S = 120.0
_PASSES = 5
"""Something may still be writing while we remove."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOG = logging.getLogger("reknit")


def make_fresh(folder: Path) -> None:
    """Make an empty folder at this path. Content that cannot be removed is moved aside."""
    if left := remove(folder):
        aside = folder.with_name(f"{folder.name}.left-{secrets.token_hex(4)}")
        _LOG.warning("%s could not be removed and is now %s: %s", folder, aside.name, left)
        try:
            folder.rename(aside)
        except OSError as problem:
            raise InternalError("cannot-remove", f"{str(folder)!r} could not be emptied: {left}") from problem
    folder.mkdir(parents=True)


def discard(folder: Path) -> None:
    """Remove the folder; only log what cannot be removed, because no result depends on it."""
    if left := remove(folder):
        _LOG.warning("%s could not be removed: %s; remove it by hand", folder, left)


@contextlib.contextmanager
def temporary_folder(prefix: str, parent: str | None = None) -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix=prefix, dir=parent)
    try:
        yield folder
    finally:
        discard(Path(folder))


def remove(folder: Path, *, within_s: float = REMOVAL_S) -> str:
    """Return why something is left; empty: nothing is. Follows no link, and never raises for what it finds there."""
    try:
        facts = folder.lstat()
        if not stat.S_ISDIR(facts.st_mode):
            folder.unlink()
            return ""
        _unlock(str(folder), facts.st_mode)
        top = os.open(folder, _FOLDER)
    except FileNotFoundError:
        return ""
    except OSError as problem:
        return _why(problem)
    try:
        left = _Removal(top, time.monotonic() + within_s).run()
    finally:
        os.close(top)
    try:
        folder.rmdir()
    except OSError as problem:
        return left or _why(problem)
    return ""


class _Removal:
    """Moves each inner folder to the top before emptying it: no recursion, no long path, only two open folders."""

    def __init__(self, top: int, deadline: float) -> None:
        self._top, self._deadline = top, deadline
        self._prefix = f"{secrets.token_hex(8)}-"
        self._moved = 0
        self._left = ""

    def run(self) -> str:
        try:
            for _ in range(_PASSES):
                self._left = ""
                waiting = self._emptied(self._top)
                while waiting:
                    waiting += self._remove_folder(waiting.pop())
                with os.scandir(self._top) as entries:
                    if next(entries, None) is None:
                        return ""
        except TimeoutError:
            return "it took too long"
        except OSError as problem:
            return _why(problem)
        return self._left or "it is still being written to"

    def _remove_folder(self, name: str) -> list[str]:
        """Returns the folders that were in it and are now at the top."""
        try:
            inner = os.open(name, _FOLDER, dir_fd=self._top)
        except OSError as problem:
            self._left = _why(problem)
            return []
        try:
            found = self._emptied(inner)
        finally:
            os.close(inner)
        self._try(os.rmdir, name, self._top)
        return found

    def _emptied(self, folder: int) -> list[str]:
        """Returns the folders to remove next, by their names at the top."""
        with os.scandir(folder) as entries:
            names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        found = []
        for name, is_folder in names:
            if time.monotonic() > self._deadline:
                raise TimeoutError
            if not is_folder:
                self._try(os.unlink, name, folder)
            elif moved := self._brought_up(name, folder):
                found.append(moved)
        return found

    def _brought_up(self, name: str, folder: int) -> str:
        self._moved += 1
        place = f"{self._prefix}{self._moved}"
        try:
            _unlock(name, os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode, folder)
            os.rename(name, place, src_dir_fd=folder, dst_dir_fd=self._top)
        except OSError as problem:
            self._left = _why(problem)
            return ""
        return place

    def _try(self, act: Callable[..., None], name: str, folder: int) -> None:
        try:
            act(name, dir_fd=folder)
        except FileNotFoundError:
            pass
        except OSError as problem:
            self._left = _why(problem)


def _unlock(name: str, mode: int, folder: int | None = None) -> None:
    """Give ourselves all rights on our own folder, through a handle that a link swapped in cannot redirect."""
    if mode & stat.S_IRWXU == stat.S_IRWXU:
        return
    handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)  # noqa: PTH101 - a handle, not a path
    finally:
        os.close(handle)


def _why(problem: OSError) -> str:
    return problem.strerror or str(problem)
