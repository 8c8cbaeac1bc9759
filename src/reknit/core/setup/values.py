"""A project's set-up: the command that installs what its tests need, and what came of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Setup:
    folder: str
    """Where the command runs, below the repository's root; empty: the root."""
    command: str
    """As a person would type it; `sh -c` runs it."""


@dataclass(frozen=True)
class Layer:
    """What a set-up installed, kept by its name."""

    name: str
    folders: tuple[tuple[str, str], ...]
    """(place in the box, host folder), as in `BoxView.layers`."""
    refused: tuple[str, ...] = ()
    """Hosts that the set-up asked for in vain, and succeeded without."""


@dataclass(frozen=True)
class SetupFailed:
    setup: Setup
    why: str
    """A sentence without a full stop."""
    output_tail: str = ""
    refused: tuple[str, ...] = ()
    """Hosts that the set-up asked for and that are no registries of the user."""
