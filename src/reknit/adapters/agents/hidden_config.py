"""Hides files that a CLI would trust as its user's: they could start programs, forge a report or influence it."""

import contextlib
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from reknit.adapters.files.folders import discard

_GIT = ".git"
"""Not searched: a branch may have any name."""


def named(tree: str, names: Collection[str]) -> Iterator[str]:
    """Paths of the entries with these names, at any depth of the tree."""
    if not names:
        return
    for folder, folders, files in os.walk(tree):
        yield from (os.path.relpath(Path(folder, name), tree) for name in (*folders, *files) if name in names)
        folders[:] = [name for name in folders if name not in names and name != _GIT]


@contextlib.contextmanager
def hidden(tree: str, paths: Sequence[str], folder: str) -> Iterator[None]:
    """Moves these entries to `folder` for the duration. What the agent puts in their place stays, for the gate."""
    away = Path(folder, "hidden")
    discard(away)
    moved: list[str] = []
    try:
        for path in paths:
            if os.path.lexists(Path(tree, path)):  # false if its parent has already been moved
                _move(Path(tree, path), away / path)
                moved.append(path)
        yield
    finally:
        for path in moved:
            if not os.path.lexists(Path(tree, path)):
                _move(away / path, Path(tree, path))
        discard(away)


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)
