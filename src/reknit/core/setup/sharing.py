"""Which kept layers a commit may use, and by which name the one that it makes is kept.

Install scripts read files that are not in a layer's key, so a layer is only as trustworthy as the commit it was made
from: a stranger's branch must not leave one that the default branch uses later. So its name has that commit, and only
commits that continue it use it. A commit or its tree in the key would be as safe, but each commit would need a set-up.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

_LOGIN = re.compile(r"(?<=://)[^/]*@")


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


def remote_id(remotes: Mapping[str, str]) -> str:
    """Return what tells clones of one repository from clones of a fork at the same path. No login counts or is kept."""
    addresses = [_LOGIN.sub("", remotes[name]) for name in ("origin", "upstream") if name in remotes]
    return hashlib.sha256("\n".join(addresses).encode("utf-8", "surrogatepass")).hexdigest()[:32] if addresses else ""


def new_name(key: str, user: LayerUser) -> str:
    return _shared(key, user.origin) if user.is_on_default_branch else _own(key, user.origin)


def origins_of(key: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return what the kept layers with this key were made from."""
    prefixes = (_shared(key, ""), _own(key, ""))
    return tuple(sorted({name[len(key) + 1 :] for name in names if name.startswith(prefixes)}))


def usable_names(key: str, user: LayerUser, behind: Collection[str], behind_fork: Collection[str]) -> tuple[str, ...]:
    """Those that this commit may use, in the order in which they are looked for.

    `behind`, `behind_fork`: the origins in the history of the commit, and in that of its fork. A layer that was made
    before its commit was merged is never used again: who reads a pull request reads its last state, not each commit.
    """
    shared = tuple(_shared(key, origin) for origin in dict.fromkeys((user.origin, *sorted(behind))))
    if user.is_on_default_branch:
        return shared
    own = dict.fromkeys((user.origin, *sorted(set(behind) - set(behind_fork))))
    return (*(_own(key, origin) for origin in own), *shared)


def _shared(key: str, origin: str) -> str:
    """Return the name of a layer that was made while its commit was on the default branch."""
    return f"{key}-{origin}"


def _own(key: str, origin: str) -> str:
    return f"{key}.{origin}"
