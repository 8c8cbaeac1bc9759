"""Replaces one file as a whole: a killed process leaves the old content or the new, and the rights stay."""

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_UNCHANGED = ("st_dev", "st_ino", "st_size", "st_mtime_ns")


@dataclass(frozen=True)
class Content:
    data: bytes
    facts: os.stat_result | None
    """None: there is no such file yet."""


@contextlib.contextmanager
def locked(folder: int) -> Iterator[None]:
    """The lock is on the folder itself: no lock file, and the kernel drops the lock of a dead process."""
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(folder, fcntl.LOCK_UN)


def replace(folder: int, name: str, new: Content, new_files: int) -> bool:
    """False: another program changed the file meanwhile, and nothing was done."""
    own = f".{name}.reknit-new" if new_files == folder else f"reknit-{name}-{os.fstat(folder).st_ino}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(own, dir_fd=new_files)  # of a process that was killed: we hold the lock
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
    """False: another program changed the file meanwhile, and nothing was done."""
    if not _is_unchanged(folder, name, facts):
        return False
    os.unlink(name, dir_fd=folder)
    os.fsync(folder)
    return True


def _write(new_files: int, own: str, new: Content) -> None:
    mode = 0o600 if new.facts else 0o666  # nobody may read it before it has the rights of the old one
    number = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, mode, dir_fd=new_files)
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
    return facts is not None and all(getattr(now, each) == getattr(facts, each) for each in _UNCHANGED)
