"""Explores one part after the other; a part that fails is empty, and its reason is kept."""

from collections.abc import Callable
from typing import TypeVar

from reknit.core.errors import ReknitError
from reknit.core.text.format import words

T = TypeVar("T")


class Parts:
    def __init__(self, root: str) -> None:
        self._root, self.problems = root, list[str]()

    def look(self, part: str, call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except (ReknitError, OSError) as problem:
            self.report(part, _reason(problem))
            return otherwise

    def report(self, part: str, what: str) -> None:
        """Where the repository is on this machine is not said."""
        self.problems.append(f"{part}: {words(what.replace(self._root, '.'))}")


def _reason(problem: ReknitError | OSError) -> str:
    if isinstance(problem, OSError):
        return problem.strerror or "it cannot be read"
    return f"{problem.where}: {problem.what}" if problem.where else problem.what
