"""Reads and replaces a settings file of the user: through its links, with its rights, never over somebody's change."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from reknit.adapters.files.atomic_replace import Content, locked, remove, replace
from reknit.adapters.files.free_space import NO_SPACE
from reknit.adapters.files.regular_files import MOST_BYTES, open_plain
from reknit.core.errors import DiskFull, Unavailable, UsageProblem


def read_settings(path: Path) -> Content:
    """Raises if the file may not be written: a rename would replace it all the same."""
    with _explained(path):
        try:
            with open_plain(path) as file:
                content = Content(file.read(MOST_BYTES), os.fstat(file.fileno()))
        except FileNotFoundError:
            return Content(b"", None)
        if not os.access(path, os.W_OK):
            raise UsageProblem("file", f"{str(path)!r} is read-only", help="make it writable")
        return content


def write_settings(path: Path, old: Content, data: bytes | None) -> None:
    """`old`: as it was read; None for the data: remove the file."""
    real = Path(os.path.realpath(path))
    with _explained(path):
        real.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(real.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with locked(folder):
                if data is None:
                    done = remove(folder, real.name, old.facts)
                else:
                    done = replace(folder, real.name, Content(data, old.facts), folder)
        finally:
            os.close(folder)
    if not done:
        what = f"{str(path)!r} is being changed by another program"
        raise Unavailable("file-busy", what, help="run the same command again")


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        if problem.errno in NO_SPACE:
            raise DiskFull(str(path)) from None
        raise UsageProblem("file", f"{str(path)!r} cannot be used: {problem.strerror}") from None
