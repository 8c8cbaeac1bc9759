"""Set-ups and their stored results, the layers: their folders, and the names under which commits share them."""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from reknit.core.box import BoxView


@dataclass(frozen=True)
class Setup:
    """A project's set-up: the command that installs the needs of its tests."""

    folder: str
    """Folder in which the command runs, below the repository's root; empty: the root."""
    command: str
    """The command as a person would type it; `sh -c` runs it."""


@dataclass(frozen=True)
class Layer:
    """The result of a set-up, stored under its name."""

    name: str
    folders: tuple[tuple[str, str], ...]
    """(place in the box, host folder), as in `BoxView.layers`."""
    refused: tuple[str, ...] = ()
    """Hosts that the set-up asked for in vain, and succeeded without."""


@dataclass(frozen=True)
class SetupFailed:
    """A set-up that failed, with the reason."""

    setup: Setup
    why: str
    """A sentence without a full stop."""
    output_tail: str = ""
    refused: tuple[str, ...] = ()
    """Hosts that the set-up asked for and that are no registries of the user."""


IN_TREE = frozenset({"node_modules", ".venv", "venv"})
"""A set-up's other files stay behind: a `conftest.py` or a `.cargo/config.toml` that no commit has would change what
later tests mean.
"""
IN_HOME = (".cargo/git", ".cargo/registry", "go/pkg/mod")
"""Caches that tests need although they are offline."""
HOME_PREFIX = "~/"
MAX_FOLDERS = 200
"""Maximum folders of a layer: each is a mount of every later box."""


def is_result(path: str, tracked_folders: Collection[str]) -> bool:
    """Return True if a folder in the tree is a result of the set-up. The caller skips folders inside results."""
    return path.rpartition("/")[2] in IN_TREE and path not in tracked_folders


def list_tracked_folders(paths: Iterable[str]) -> frozenset[str]:
    """Return every folder that has tracked files, at any depth."""
    folders = set[str]()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(folders)


def merge_folders(layers: Iterable[Layer]) -> tuple[tuple[str, str], ...]:
    """Join the folders of several layers; the first layer that has a place wins."""
    folders = dict[str, str]()
    for layer in layers:
        folders = {**dict(layer.folders), **folders}
    return tuple(folders.items())


def list_uncovered(carry: Iterable[str], layers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the carried entries that no layer replaces."""
    places = [place for place, _ in layers]
    return tuple(entry for entry in carry if not any(f"{entry}/".startswith(f"{place}/") for place in places))


def list_mount_points(view: BoxView) -> tuple[str, ...]:
    """Return the paths of the tree at which a box shows something else: files left there are no change."""
    return (*view.carry, *(place for place, _ in view.layers if not place.startswith(HOME_PREFIX)))


_LOGIN = re.compile(r"(?<=://)[^/]*@")


@dataclass(frozen=True)
class LayerUser:
    """A commit that needs a layer.

    Install scripts read files that are not in a layer's key, so a layer is only as trustworthy as the commit it was
    made from: a stranger's branch must not leave one that the default branch uses later. So its name has that commit,
    and only commits that continue it use it. A commit or its tree in the key would be as safe, but each commit would
    need a set-up.
    """

    origin: str
    """The commit; for work that is in no commit of the user, the id of its tree."""
    fork: str = ""
    """The newest commit of the default branch in its history; empty: none is known."""

    @property
    def is_on_default_branch(self) -> bool:
        return self.origin == self.fork


def hash_remotes(remotes: Mapping[str, str]) -> str:
    """Return an id that differs between clones of a repository and of its fork at one path. It contains no login."""
    addresses = [_LOGIN.sub("", remotes[name]) for name in ("origin", "upstream") if name in remotes]
    return hashlib.sha256("\n".join(addresses).encode("utf-8", "surrogatepass")).hexdigest()[:32] if addresses else ""


def name_new_layer(key: str, user: LayerUser) -> str:
    """Return the name of the layer that this commit makes."""
    return _name_shared(key, user.origin) if user.is_on_default_branch else _name_own(key, user.origin)


def list_origins(key: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the commits from which the stored layers with this key were made."""
    prefixes = (_name_shared(key, ""), _name_own(key, ""))
    return tuple(sorted({name[len(key) + 1 :] for name in names if name.startswith(prefixes)}))


def list_usable_names(
    key: str, user: LayerUser, behind: Collection[str], behind_fork: Collection[str]
) -> tuple[str, ...]:
    """Return the layers that this commit may use, in the order of preference.

    `behind`, `behind_fork`: the origins in the history of the commit, and in that of its fork. A layer that was made
    before its commit was merged is never used again: who reads a pull request reads its last state, not each commit.
    """
    shared = tuple(_name_shared(key, origin) for origin in dict.fromkeys((user.origin, *sorted(behind))))
    if user.is_on_default_branch:
        return shared
    own = dict.fromkeys((user.origin, *sorted(set(behind) - set(behind_fork))))
    return (*(_name_own(key, origin) for origin in own), *shared)


def _name_shared(key: str, origin: str) -> str:
    """Return the name of a layer that was made while its commit was on the default branch."""
    return f"{key}-{origin}"


def _name_own(key: str, origin: str) -> str:
    return f"{key}.{origin}"
