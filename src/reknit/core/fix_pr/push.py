"""How a fix came to the forge, or why it did not."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A commit that passed the gate and the tests, and the head it stands on."""

    commit: str
    head: str


@dataclass(frozen=True)
class Pushed:
    commit: str
    grown_source: int = 0
    grown_tests: int = 0
    answered: tuple[str, ...] = ()
    """Reviews it answers."""


@dataclass(frozen=True)
class NotPushed:
    why: str
    """For people, in a few words."""
    feedback: str = ""
    """For the next attempt."""


@dataclass(frozen=True)
class BranchMoved:
    """Somebody else pushed first; nothing of theirs was touched."""

    head: str
