"""The few files that reknit writes in the user's working tree: lists of findings, and plans."""

from collections.abc import Callable
from typing import Protocol


class WorkingTreeFiles(Protocol):
    """Every write happens as a whole or not at all, and through no symbolic link. Paths are from the root."""

    def append(self, root: str, path: str, text: str) -> bool:
        """False: the file ends with this text already, so nothing is written."""

    def rewrite(self, root: str, path: str, change: Callable[[str], str]) -> bool:
        """Replaces the text by what `change` makes of it; creates missing folders. False: nothing is different.

        `change` may be called again if another program writes at the same time. A file that is not there is empty.
        """

    def read(self, root: str, path: str) -> str:
        """Empty if there is no such file."""
