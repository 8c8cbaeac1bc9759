"""Which kept layers a commit may use, and by which name the one that it makes is kept.

Install scripts read files that are not in a layer's key, so a layer is only as trustworthy as the commit it was made
from: a stranger's branch must not leave one that the default branch uses later.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class LayerUser:
    """A commit that needs a layer."""

    origin: str
    """The commit; for work that is in no commit of the user, the id of its tree."""
    fork: str = ""
    """The newest commit of the default branch in its history; empty: none is known."""

    @property
    def is_on_default_branch(self) -> bool:
        return self.origin == self.fork


def new_name(key: str, user: LayerUser) -> str:
    """One made from the default branch is for everybody."""
    return key if user.is_on_default_branch else _own(key, user.origin)


def origins_of(key: str, names: Iterable[str]) -> tuple[str, ...]:
    """What the kept layers with this key were made from, apart from those of the default branch."""
    return tuple(name.removeprefix(f"{key}.") for name in sorted(names) if name.startswith(f"{key}."))


def usable_names(key: str, user: LayerUser, behind: Collection[str], behind_fork: Collection[str]) -> tuple[str, ...]:
    """Those that this commit may use, in the order in which they are looked for.

    `behind`, `behind_fork`: the origins in the history of the commit, and in that of its fork. A layer that was made
    before its commit was merged is never used again: who reads a pull request reads its last state, not each commit.
    """
    if user.is_on_default_branch:
        return (key,)
    own = dict.fromkeys((user.origin, *sorted(set(behind) - set(behind_fork))))
    return (*(_own(key, origin) for origin in own), key)


def _own(key: str, origin: str) -> str:
    return f"{key}.{origin}"
