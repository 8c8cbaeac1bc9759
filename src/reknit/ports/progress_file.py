"""The file in the user's working tree that lists findings and fixes."""

from typing import Protocol


class ProgressFile(Protocol):
    """The only file that reknit writes in a working tree."""

    def append(self, root: str, path: str, text: str) -> bool:
        """All at once or not at all. False: the file ends with this text already, so nothing is written."""

    def read(self, root: str, path: str) -> str:
        """Empty if there is no such file."""
