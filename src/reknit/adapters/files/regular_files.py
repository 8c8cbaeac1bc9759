"""Opens files that a user or a repository names: only regular files of bounded size, and none that would block."""

import contextlib
import os
import stat
from pathlib import Path
from typing import BinaryIO

from reknit.core.errors import UsageProblem

MOST_BYTES = 10_000_000


def open_plain(path: str | Path, *, most_bytes: int = MOST_BYTES, follow: bool = True) -> BinaryIO:
    """Raises OSError as `open` does, and UsageProblem if it is too large or not a regular file."""
    link = 0 if follow else os.O_NOFOLLOW
    # Non-blocking: a named pipe would wait for a writer, and some devices for their hardware.
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | link)
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, number)
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode):
            raise UsageProblem("file", f"{str(path)!r} is {_kind(facts.st_mode)}, not a file")
        if facts.st_size > most_bytes:
            raise UsageProblem("file", f"{str(path)!r} is larger than {most_bytes / 1_000_000:g} MB")
        opened = os.fdopen(number, "rb")
        stack.pop_all()  # from here on `opened` closes it
        return opened


def read_plain(path: str | Path, *, most_bytes: int = MOST_BYTES) -> bytes:
    """Reads at most `most_bytes`: a file can grow while it is read."""
    with open_plain(path, most_bytes=most_bytes) as opened:
        return opened.read(most_bytes)


def read_plain_text(path: str | Path, *, errors: str = "strict") -> str:
    """UTF-8. Raises UnicodeDecodeError too."""
    return read_plain(path).decode("utf-8", errors)


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"))
    return next((word for is_kind, word in kinds if is_kind(mode)), "a device")
