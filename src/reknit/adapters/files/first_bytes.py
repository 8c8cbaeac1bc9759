"""Reads how files of a working tree begin: only regular files, never through a symlink, and never all of a long one."""

import os
import posixpath
import stat
from collections.abc import Iterable

SYMLINK = "it is a symlink, or is reached through one: not followed"
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW


def first_bytes(root: str, paths: Iterable[str], most_bytes: int) -> dict[str, bytes | str]:
    """Path -> how it begins, or why it was not read. One that is not there, or is not a file, is left out.

    Names are UTF-8, as git has them, also where the locale has another encoding.
    """
    top = os.path.realpath(os.fsencode(root))
    real: dict[bytes, bool] = {}
    found: dict[str, bytes | str] = {}
    for path in paths:
        full = top + b"/" + path.encode()
        folder = posixpath.dirname(full)
        if folder not in real:
            real[folder] = os.path.realpath(folder) == folder
        begun = _begin(full, most_bytes) if real[folder] else SYMLINK
        if begun is not None:
            found[path] = begun
    return found


def _begin(path: bytes, most_bytes: int) -> bytes | str | None:
    try:
        number = os.open(path, _FLAGS)
    except FileNotFoundError:
        return None
    except OSError as hindered:
        return SYMLINK if os.path.islink(path) else f"it cannot be read: {hindered.strerror}"  # noqa: PTH114 - many
    try:
        return os.read(number, most_bytes) if stat.S_ISREG(os.fstat(number).st_mode) else None
    except OSError as hindered:
        return f"it cannot be read: {hindered.strerror}"
    finally:
        os.close(number)
