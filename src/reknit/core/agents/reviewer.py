"""Describes reviewers, and chooses those that review a change."""

import posixpath
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.errors import UsageError
from reknit.core.text.format import sanitize_line, suggest_similar

Level = Literal["blocking", "warning", "suggestion"]
LEVELS: tuple[Level, ...] = ("blocking", "warning", "suggestion")


@dataclass(frozen=True)
class Reviewer:
    """A reviewer: an instruction with a name, a level and the languages it is for."""

    name: str
    level: Level
    prefix: str
    """Prefix of the ids of its findings: `SEC` for SEC-001."""
    text: str
    """Its instruction for the agent."""
    languages: tuple[str, ...] = ()
    """File extensions without the dot; empty: all files."""
    agent: str = ""
    """Empty: the agent that is set for reviews."""
    model: str = ""
    """Empty: the agent's own."""
    origin: str = ""
    """The file it was read from; empty: shipped with reknit."""
    agent_line: int = 0
    """Line of `agent` in that file; 0: not set there."""

    def is_for(self, paths: Iterable[str]) -> bool:
        """Return True if one of the changed files is in a language that it reviews."""
        extensions = {language.lower() for language in self.languages}
        return not extensions or any(posixpath.splitext(path)[1][1:].lower() in extensions for path in paths)


@dataclass(frozen=True)
class ReviewerProblem:
    """A mistake in a reviewer file, with its line."""

    line: int
    message: str
    help: str = ""


@dataclass(frozen=True)
class ReviewerChoice:
    """The reviewers of a change."""

    selected: tuple[Reviewer, ...]
    skipped: tuple[Reviewer, ...] = ()
    """Reviewers of other languages: no changed file is theirs."""


def choose_reviewers(reviewers: Sequence[Reviewer], names: Collection[str], paths: Sequence[str]) -> ReviewerChoice:
    """Return the reviewers of a change to `paths`. `names`: empty for all; an unknown one raises UsageError."""
    candidates = select_by_name(reviewers, names, "--reviewer") if names else tuple(reviewers)
    selected = tuple(reviewer for reviewer in candidates if reviewer.is_for(paths))
    return ReviewerChoice(selected, tuple(reviewer for reviewer in candidates if reviewer not in selected))


def select_by_name(reviewers: Sequence[Reviewer], names: Collection[str], setting: str) -> tuple[Reviewer, ...]:
    """Return the named reviewers in the order of `reviewers`. `setting`: the option or the key that has the names."""
    all_names = [reviewer.name for reviewer in reviewers]
    unknown = [name for name in dict.fromkeys(names) if name not in all_names]
    if unknown:
        quoted_names = " or ".join(repr(sanitize_line(name, 60)) for name in unknown)
        hint = " ".join(dict.fromkeys(filter(None, (suggest_similar(name, all_names) for name in unknown))))
        known_names = f"known: {', '.join(all_names)}"
        raise UsageError(
            "reviewer", f"{setting}: no reviewer is called {quoted_names}", help=f"{hint} {known_names}".strip()
        )
    return tuple(reviewer for reviewer in reviewers if reviewer.name in names)


def join_instructions(reviewers: Sequence[Reviewer], paths: Sequence[str]) -> str:
    """Return one instruction that joins those of the reviewers for these files."""
    matching = (reviewer for reviewer in reviewers if reviewer.is_for(paths))
    return "\n\n".join(f"Reviewer {reviewer.name}:\n\n{reviewer.text}" for reviewer in matching)
