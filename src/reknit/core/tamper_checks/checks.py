"""The tamper checks of one fix, as values: what is put into the tree, what is run, and what must come of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from reknit.core.check_answer import CheckName

Must = Literal["pass", "fail", "error", "differ", "differ by one"]
"""The last two: a copy of the target that expects another value, far away or the next one, so it must be red."""
TWINS: frozenset[Must] = frozenset({"differ", "differ by one"})


@dataclass(frozen=True)
class TargetTest:
    """A test that the fix turned green."""

    id: str
    """As reports of its runner have it, without the project's folder."""
    file: str
    """Below the project's folder."""
    failure: str = ""
    """What its runner said on base."""


@dataclass(frozen=True)
class Targets:
    runner: str
    tests: tuple[TargetTest, ...]
    files: Mapping[str, str]
    """Path below the project's folder -> text: the targets' files, and those that `surroundings` names."""
    tracked: tuple[str, ...] = ()
    """Every path of the tree below the project's folder."""


@dataclass(frozen=True)
class Probe:
    """A test of ours beside the targets, run by their own runner."""

    id: str
    """As the runner will report it."""
    must: Must
    target: str
    """The id of the test it belongs to."""


@dataclass(frozen=True)
class Harness:
    """Calls the targets without their runner, under other names."""

    argv: tuple[str, ...]
    """`python` stands for the project's interpreter."""
    tests: tuple[str, ...]
    """The ids of the targets it calls."""
    stdin: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    """Added to the tree."""
    hidden: tuple[str, ...] = ()
    """Removed from the tree."""
    env: tuple[tuple[str, str], ...] = ()
    unbuilt_exit: int | None = None
    """How it exits if it cannot be built; None: nothing is built."""


@dataclass(frozen=True)
class MadeChecks:
    probes: tuple[Probe, ...] = ()
    probe_files: Mapping[str, str] = field(default_factory=dict)
    """Path -> text, added to the tree or replacing what is there."""
    harness: Harness | None = None
    why_not: Mapping[CheckName, str] = field(default_factory=dict)
    """Why a check could not be made, in a clause: "no value is compared with `==`"."""
