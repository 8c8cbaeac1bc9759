"""The result of pushing a fix to the forge, or why it was not pushed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A commit that passed the gate and the tests, and the head it is based on."""

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
    refused: bool = False
    """The tests turned green by tampering, or in a way that looks like it."""
    unproven: tuple[str, ...] = ()
    """Tests that turned green, though nothing shows that the fix is the reason."""


@dataclass(frozen=True)
class BranchMoved:
    """Someone else pushed first; their commits are untouched."""

    head: str
