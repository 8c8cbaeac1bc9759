"""Opens files that a user or a repository names: only regular files of bounded size, and none that would block."""

import contextlib
import os
import posixpath
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from reknit.core.errors import UsageError

MAX_FILE_BYTES = 10_000_000
FILE_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
"""Flags that open no link, and do not wait for the writer of a named pipe."""
FOLDER_FLAGS = FILE_FLAGS | os.O_DIRECTORY


def open_plain(path: str | Path, *, most_bytes: int = MAX_FILE_BYTES) -> BinaryIO:
    """Open a file to read. Raise OSError as `open` does, and UsageError for a large or irregular file."""
    # Non-blocking: a named pipe would wait for a writer, and some devices for their hardware.
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, number)
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode):
            raise UsageError("file", f"{str(path)!r} is {_kind(facts.st_mode)}, not a file")
        if facts.st_size > most_bytes:
            raise UsageError("file", f"{str(path)!r} is larger than {most_bytes / 1_000_000:g} MB")
        opened = os.fdopen(number, "rb")
        stack.pop_all()  # from here on `opened` closes it
        return opened


def read_plain(path: str | Path, *, most_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Read a file of at most `most_bytes`. What is added while it is read is cut off."""
    with open_plain(path, most_bytes=most_bytes) as opened:
        return opened.read(most_bytes)


def read_plain_text(path: str | Path, *, errors: str = "strict") -> str:
    """Read a UTF-8 file. Raises UnicodeDecodeError too."""
    return read_plain(path).decode("utf-8", errors)


def read_text_if_any(path: str | Path) -> str:
    """Return the text; empty if it is missing, or no ordinary file of ordinary size."""
    try:
        return read_plain_text(path, errors="replace")
    except (OSError, UsageError):
        return ""


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"))
    return next((word for is_kind, word in kinds if is_kind(mode)), "a device")


SYMLINK = "it is a symlink, or is reached through one: not followed"


def read_first_bytes(root: str, paths: Iterable[str], most_bytes: int) -> dict[str, bytes | str]:
    """Return how each file begins, or why it was not read. A missing or irregular file is left out.

    No symlink is followed. Names are UTF-8, as git has them, also where the locale has another encoding.
    """
    top = os.path.realpath(os.fsencode(root))
    real: dict[bytes, bool] = {}
    beginnings: dict[str, bytes | str] = {}
    for path in paths:
        full = top + b"/" + path.encode()
        folder = posixpath.dirname(full)
        if folder not in real:
            real[folder] = os.path.realpath(folder) == folder
        beginning = _read_beginning(full, most_bytes) if real[folder] else SYMLINK
        if beginning is not None:
            beginnings[path] = beginning
    return beginnings


def _read_beginning(path: bytes, most_bytes: int) -> bytes | str | None:
    try:
        number = os.open(path, FILE_FLAGS)
    except FileNotFoundError:
        return None
    except OSError as problem:
        return SYMLINK if os.path.islink(path) else f"it cannot be read: {problem.strerror}"  # noqa: PTH114 - many
    try:
        return os.read(number, most_bytes) if stat.S_ISREG(os.fstat(number).st_mode) else None
    except OSError as problem:
        return f"it cannot be read: {problem.strerror}"
    finally:
        os.close(number)


LARGEST_BYTES = 64 * 1024


def read_instruction(path: Path, *, below: Path, where: str, kind: str) -> str:
    """Read a text file that becomes part of prompts: bounded, UTF-8, and never through a symlink.

    `below`: no step from there to the file may be a symlink. `where`, `kind`: the place and name of a problem.
    """

    def problem(message: str, hint: str) -> UsageError:
        return UsageError(kind, message, where=where, help=hint)

    steps = [path, *(parent for parent in path.parents if parent != below and parent.is_relative_to(below))]
    if any(step.is_symlink() for step in steps):  # it could lead to a secret
        raise problem("it is a symlink, or is reached through one", "put a copy of the file there")
    if not path.is_file():
        raise problem("it is not a file", "put a text file there, or remove it")
    try:
        with open_plain(path) as file:
            raw = file.read(LARGEST_BYTES + 1)
        text = raw.decode("utf-8") if len(raw) <= LARGEST_BYTES else ""
    except OSError as error:
        raise problem(f"it cannot be read: {error.strerror}", "make it readable") from None
    except UnicodeDecodeError:
        raise problem("it is not UTF-8 text", "save it as UTF-8") from None
    if len(raw) > LARGEST_BYTES:
        raise problem("it is larger than 64 KB", "it goes into every prompt: keep it short")
    return text


def is_empty_folder(handle: int, name: str) -> bool:
    """Return True if the folder is empty. `handle`: its parent, open."""
    inner = os.open(name, FOLDER_FLAGS, dir_fd=handle)
    try:
        with os.scandir(inner) as listing:
            return next(listing, None) is None
    finally:
        os.close(inner)


def has_plain_file(handle: int, folder: str, name: str) -> bool:
    """Return True if the folder has a regular file with this name. `handle`: the folder's parent, open."""
    inner = os.open(folder, FOLDER_FLAGS, dir_fd=handle)
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=inner, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False
    finally:
        os.close(inner)
