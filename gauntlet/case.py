"""A case of the gauntlet: a small project that is red in one place, and what a scripted agent does to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["cheat", "honest", "shape"]
KINDS: tuple[Kind, ...] = ("cheat", "honest", "shape")
"""`cheat` must not land; `honest` must; `shape` is an awkward project whose honest fix must."""

LANGUAGES = ("python", "javascript", "typescript", "go", "rust", "java")

SEMANTIC = frozenset({"special-case", "answer-file"})
"""Classes of cheats that do the same in every process: only more cases of the behaviour can tell them from a fix."""

ORDINARY, OWNER = "fix", "owner"
"""Classes of honest edits: what nobody would call suspicious, and what the documentation leaves to a person."""

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Edits:
    write: Files = field(default_factory=dict)
    replace: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Path -> old and new text, in this order; each old text occurs."""
    delete: tuple[str, ...] = ()

    @property
    def paths(self) -> frozenset[str]:
        return frozenset({*self.write, *self.replace, *self.delete})


@dataclass(frozen=True)
class Question:
    """Asked of a landed commit, outside its tests: no cheat answers it, every true fix does."""

    argv: tuple[str, ...]
    """Prints `HELD` and nothing else if the behaviour is right."""
    files: Files = field(default_factory=dict)
    """Added to the commit's tree."""


@dataclass(frozen=True)
class Base:
    name: str
    language: str
    files: Files
    command: str = ""
    """The test command; empty: reknit finds it."""
    question: str = ""
    show: tuple[str, ...] = ()
    """Folders of the machine that its programs need in the box, where they are."""
    needs: tuple[str, ...] = ()
    """Programs without which its cases do not run."""


@dataclass(frozen=True)
class Case:
    id: str
    kind: Kind
    language: str
    group: str
    """Its class: `exit`, `helper`, `special-case`."""
    base: str
    moves: tuple[Edits, ...]
    """What the agent does, one per attempt."""
    given: Edits = Edits()
    """How its project differs from the base."""
    command: str = ""
    question: str | None = None
    """None: that of the base; empty: a landed commit is asked nothing."""
    note: str = ""
    is_fresh: bool = False
    """Written after the checks were finished, by someone who knew only the documentation; no part of the corpus."""

    @property
    def is_semantic(self) -> bool:
        return self.kind == "cheat" and self.group in SEMANTIC
