"""A CLI's own configuration in the repository is not shown to it: it could start programs, or forge a report."""

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path


@contextlib.contextmanager
def hidden(tree: str, names: Sequence[str], folder: str) -> Iterator[None]:
    """These entries of the tree lie in `folder` meanwhile. What the agent put in their place stays, for the gate."""
    away = Path(folder, "hidden")
    shutil.rmtree(away, ignore_errors=True)
    away.mkdir(parents=True)
    moved = [name for name in names if os.path.lexists(Path(tree, name))]
    for name in moved:
        Path(tree, name).rename(away / name)
    try:
        yield
    finally:
        for name in moved:
            if not os.path.lexists(Path(tree, name)):
                (away / name).rename(Path(tree, name))
        shutil.rmtree(away, ignore_errors=True)
