"""Replaces a file atomically, such as a settings file of the user: after a crash it has the old content or the new."""

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.files.folders import NO_SPACE
from reknit.adapters.files.regular_files import FILE_FLAGS, MAX_FILE_BYTES, open_plain
from reknit.core.errors import DiskFullError, UnavailableError, UsageError

_UNCHANGED = ("st_dev", "st_ino", "st_size", "st_mtime_ns")


@dataclass(frozen=True)
class Content:
    """The bytes of a file, and its facts, which show whether another program has changed it since."""

    data: bytes
    facts: os.stat_result | None
    """None if there is no such file yet."""


@contextlib.contextmanager
def lock_folder(folder: int) -> Iterator[None]:
    """Lock the folder itself, without a lock file. The kernel releases the lock when the process dies."""
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(folder, fcntl.LOCK_UN)


def replace(folder: int, name: str, new: Content, new_files: int) -> bool:
    """Replace the file and keep its rights. Return False, without a change, if another program changed it meanwhile."""
    own = f".{name}.reknit-new" if new_files == folder else f"reknit-{name}-{os.fstat(folder).st_ino}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(own, dir_fd=new_files)  # a killed process left it; we hold the lock
    try:
        _write(new_files, own, new)
        if not _is_unchanged(folder, name, new.facts):
            return False
        os.rename(own, name, src_dir_fd=new_files, dst_dir_fd=folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(own, dir_fd=new_files)
    os.fsync(folder)
    return True


def remove(folder: int, name: str, facts: os.stat_result | None) -> bool:
    """Remove the file. Return False, without a change, if another program changed it meanwhile."""
    if not _is_unchanged(folder, name, facts):
        return False
    os.unlink(name, dir_fd=folder)
    os.fsync(folder)
    return True


def _write(new_files: int, own: str, new: Content) -> None:
    mode = 0o600 if new.facts else 0o666  # others must not read it before it has the rights of the old file
    number = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL | FILE_FLAGS, mode, dir_fd=new_files)
    with os.fdopen(number, "wb") as file:
        file.write(new.data)
        file.flush()
        if new.facts:
            _keep_rights(number, new.facts)
        os.fsync(number)


def _keep_rights(number: int, old: os.stat_result) -> None:
    fresh = os.fstat(number)
    if (fresh.st_uid, fresh.st_gid) != (old.st_uid, old.st_gid):
        os.fchown(number, old.st_uid, old.st_gid)
    os.fchmod(number, stat.S_IMODE(old.st_mode))


def _is_unchanged(folder: int, name: str, facts: os.stat_result | None) -> bool:
    try:
        now = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return facts is None
    return facts is not None and all(getattr(now, name) == getattr(facts, name) for name in _UNCHANGED)


def read_settings(path: Path) -> Content:
    """Read a settings file. Raise if it is read-only: a rename would replace it nevertheless."""
    with _explain_errors(path):
        try:
            with open_plain(path) as file:
                content = Content(file.read(MAX_FILE_BYTES), os.fstat(file.fileno()))
        except FileNotFoundError:
            return Content(b"", None)
        if not os.access(path, os.W_OK):
            raise UsageError("file", f"{str(path)!r} is read-only", help="make it writable")
        return content


def write_settings(path: Path, old: Content, data: bytes | None) -> None:
    """Replace a settings file, or the target of a link. `old`: the content as it was read; `data` None: remove it."""
    real = Path(os.path.realpath(path))
    with _explain_errors(path):
        real.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(real.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with lock_folder(folder):
                if data is None:
                    has_replaced = remove(folder, real.name, old.facts)
                else:
                    has_replaced = replace(folder, real.name, Content(data, old.facts), folder)
        finally:
            os.close(folder)
    if not has_replaced:
        message = f"{str(path)!r} is being changed by another program"
        raise UnavailableError("file-busy", message, help="run the same command again")


@contextlib.contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        if problem.errno in NO_SPACE:
            raise DiskFullError(str(path)) from None
        raise UsageError("file", f"{str(path)!r} cannot be used: {problem.strerror}") from None
