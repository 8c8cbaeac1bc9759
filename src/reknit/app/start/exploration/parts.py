"""Explores one part after the other; a part that fails is empty, and its reason is kept."""

from collections.abc import Callable
from typing import TypeVar

from reknit.app.installation import Installation
from reknit.core.errors import ReknitError
from reknit.core.text.format import words

T = TypeVar("T")


class Parts:
    def __init__(self, place: Installation, root: str) -> None:
        folders = {place.environment.get("HOME", ""): "~", str(place.state): "the state folder", root: "."}
        by_length = sorted(folders.items(), key=lambda each: -len(each[0]))
        self._hidden = [(folder, name) for folder, name in by_length if len(folder) > 1]
        self.problems: list[str] = []

    def look(self, part: str, call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except (ReknitError, OSError) as problem:
            self.report(part, _reason(problem))
            return otherwise

    def report(self, part: str, what: str) -> None:
        self.problems.append(f"{part}: {self.shown(what)}")

    def shown(self, what: str) -> str:
        """Where things are on this machine is not said."""
        for folder, name in self._hidden:
            what = what.replace(folder, name)
        return words(what)


def _reason(problem: ReknitError | OSError) -> str:
    if isinstance(problem, OSError):
        return problem.strerror or "it cannot be read"
    return f"{problem.where}: {problem.what}" if problem.where else problem.what
