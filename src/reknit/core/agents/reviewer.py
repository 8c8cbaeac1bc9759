"""A reviewer: an instruction file with a name, a level and the languages it is for."""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["blocking", "warning", "suggestion"]
LEVELS: tuple[Level, ...] = ("blocking", "warning", "suggestion")


@dataclass(frozen=True)
class Reviewer:
    name: str
    level: Level
    prefix: str
    """Of the ids of its findings: `SEC` for SEC-001."""
    text: str
    """Its instruction."""
    languages: tuple[str, ...] = ()
    """File extensions without the dot; empty: all files."""
    agent: str = ""
    """Empty: the agent that is set for reviews."""
    model: str = ""
    """Empty: the agent's own."""
    origin: str = ""
    """The file it was read from; empty: shipped with reknit."""
    agent_line: int = 0
    """Of `agent` in that file; 0: not set there."""

    def is_for(self, paths: Iterable[str]) -> bool:
        """Whether one of the changed files is in a language it reviews."""
        wanted = {language.lower() for language in self.languages}
        return not wanted or any(posixpath.splitext(path)[1][1:].lower() in wanted for path in paths)


@dataclass(frozen=True)
class ReviewerProblem:
    """What is wrong in a reviewer file, and on which line."""

    line: int
    what: str
    help: str = ""
