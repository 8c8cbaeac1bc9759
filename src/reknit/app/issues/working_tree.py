"""Reads files of the user's working tree as tools saw them, and nothing outside it."""

import functools
import os
import stat
from dataclasses import dataclass

from reknit.core.issues.formats.bounds import UNFIT

MOST_BYTES = 5_000_000


@dataclass(frozen=True)
class WorkingTree:
    root: str
    """Absolute."""

    def own(self, path: str) -> str | None:
        """The path with symlinks resolved, as git and a forge know the file; None: it leads out of the tree.

        `path`: relative to the root. The file need not exist.
        """
        if "\0" in path:
            return None
        root = _real(self.root)
        full = os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - there may be many
        if not full.startswith(root + "/"):
            return None
        inside = full[len(root) + 1 :]
        return None if inside.partition("/")[0] == ".git" or UNFIT.search(inside) else inside

    def has(self, path: str) -> bool:
        return os.path.lexists(os.path.join(self.root, path))  # noqa: PTH118 - as above

    def read(self, path: str) -> bytes | None:
        """None: not a regular file, too large, or not in the tree. `path` must come from `own`."""
        if self.own(path) != path:
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            number = os.open(os.path.join(self.root, path), flags)  # noqa: PTH118 - as above
        except OSError:
            return None
        try:
            facts = os.fstat(number)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > MOST_BYTES:
                return None
            with open(number, "rb", closefd=False) as file:
                return file.read(MOST_BYTES)
        finally:
            os.close(number)


@functools.cache
def _real(root: str) -> str:
    return os.path.realpath(root)
