"""The change of an attempt, by content: all that the gate sees of an agent's work."""

from dataclasses import dataclass
from functools import cached_property

REGULAR, EXECUTABLE, SYMLINK, GITLINK = 0o100644, 0o100755, 0o120000, 0o160000


@dataclass(frozen=True)
class FileChange:
    """One path that differs between the base tree and the attempt's tree."""

    path: str
    before: bytes | None
    """None: the path did not exist."""
    after: bytes | None
    """None: the path was removed."""
    mode_before: int = 0
    mode_after: int = 0
    """git modes (100644, 100755, 120000, 160000); 0 where the path does not exist."""

    @cached_property
    def text_before(self) -> str:
        return (self.before or b"").decode("utf-8", "replace")

    @cached_property
    def text_after(self) -> str:
        return (self.after or b"").decode("utf-8", "replace")


@dataclass(frozen=True)
class Change:
    """All differences between the base tree and the attempt's tree."""

    files: tuple[FileChange, ...]
    unsafe: tuple[tuple[str, str], ...] = ()
    """(path, why): entries that were not read: special files, nested repositories, hard links, too large."""
    left_out: tuple[str, ...] = ()
    """New files and folders that are not part of the change, because the repository's own rules ignore them."""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(file.path for file in self.files)
