"""What of a set-up's result is kept: folders that package managers fill, and nothing else that it wrote."""

from collections.abc import Collection, Iterable

from reknit.core.box import BoxView
from reknit.core.setup.values import Layer

IN_TREE = frozenset({"node_modules", ".venv", "venv"})
"""A set-up's other files stay behind: a `conftest.py` or a `.cargo/config.toml` that no commit has would change what
later tests mean.
"""
IN_HOME = (".cargo/git", ".cargo/registry", "go/pkg/mod")
"""Caches that tests need although they are offline."""
HOME_PREFIX = "~/"
MOST_FOLDERS = 200
"""Each is a mount of every later box."""


def is_result(path: str, tracked_folders: Collection[str]) -> bool:
    """Of a folder in the tree after the set-up, which is not inside another one that counts."""
    return path.rpartition("/")[2] in IN_TREE and path not in tracked_folders


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    """Every folder that has tracked files, at any depth."""
    found = set[str]()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def all_folders(layers: Iterable[Layer]) -> tuple[tuple[str, str], ...]:
    """Of several layers; the first one that has a place keeps it."""
    found = dict[str, str]()
    for layer in layers:
        found = {**dict(layer.folders), **found}
    return tuple(found.items())


def not_covered(carry: Iterable[str], layers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The carried entries that no layer replaces."""
    places = [place for place, _ in layers]
    return tuple(entry for entry in carry if not any(f"{entry}/".startswith(f"{place}/") for place in places))


def mount_points(view: BoxView) -> tuple[str, ...]:
    """Paths of the tree at which a box shows something else: what is left there is no change."""
    return (*view.carry, *(place for place, _ in view.layers if not place.startswith(HOME_PREFIX)))
