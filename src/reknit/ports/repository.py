"""Trusted copies of a repository, and the work folders made from them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from reknit.core.box import BoxView
from reknit.core.forge.values import PushAnswer, Remote
from reknit.core.repository.change import Change


class TrustedRepository(Protocol):
    """git on a gitdir of reknit's own, which no agent can write. Every call is bounded in time."""

    gitdir: str

    def write_tree_to(self, rev: str, folder: str) -> None:
        """A freshly written plain copy of that tree, without `.git`. Replaces what was in the folder."""

    def snapshot(self, folder: str, base: str, ref: str, *, skip: Sequence[str] = (), at: float) -> Change:
        """Read what differs from `base` below the folder, keep it as a commit under the private `ref`, and return it.

        The folder is an agent's: plain data. `skip`: carried paths whose mount points bwrap left behind.
        """

    def change(self, base: str, head: str) -> Change:
        """What differs between two trees or commits of this gitdir."""

    def paths(self, rev: str) -> tuple[str, ...]: ...

    def read(self, rev: str, path: str) -> str:
        """A file's text; empty when there is no such file."""

    def tree_of(self, rev: str) -> str: ...

    def links(self, rev: str) -> Mapping[str, str]:
        """Every symbolic link of that tree and where it points, as it is written there."""

    def diff(self, base: str, head: str) -> str: ...

    def patch(self, base: str, head: str) -> bytes:
        """The same for `git apply`: nothing is left out or replaced."""

    def commit(self, base: str, change: Change, message: str, *, at: float) -> str:
        """A commit of exactly this change on top of base. Same input, same commit id."""

    def resolve(self, rev: str) -> str:
        """The commit id, or an empty string."""

    def keep(self, ref: str, commit: str) -> None:
        """Point a private ref at this commit, so that it stays."""

    def fetch_from(self, remote: Remote, refs: Sequence[str]) -> Mapping[str, str]:
        """Bring what these full ref names point at from a forge: ref -> commit. A ref that is not there is left out.

        Raises `ForgeError` when the forge could not be reached or refused.
        """

    def push_to(self, remote: Remote, commit: str, branch: str, *, expect: str) -> PushAnswer:
        """Put the commit on a forge's branch if that is still at `expect`. A second call does nothing."""

    def show(self, commit: str) -> None:
        """Make this commit the HEAD that a box sees, so that log, status and diff work for an agent."""

    def merge_base(self, one: str, other: str) -> str:
        """Empty: they share no history."""

    def is_ancestor(self, old: str, new: str) -> bool: ...

    def replay(self, commit: str, onto: str, *, at: float) -> str:
        """The same change and message on top of another head that descends from its parent; empty: it conflicts."""

    def messages(self, base: str, head: str) -> tuple[tuple[str, str, str], ...]:
        """(commit, message, author) of everything in head that is not in base, newest first; at most 200."""

    def writers(self, rev: str, places: Sequence[tuple[str, int]]) -> tuple[str, ...]:
        """For each (file, line) the commit that wrote that line last; empty where there is no such line."""

    def land(self, repository: str, commit: str, branch: str) -> None:
        """Put the commit on the branch of the user's repository; index, tree, config, hooks and other refs stay."""


class Workspace(Protocol):
    """The folders of one run on this machine. Everything in them can be made again from the trusted gitdir."""

    @property
    def repository(self) -> TrustedRepository: ...

    def ready(self, *revs: str) -> None:
        """The trusted gitdir is there and holds the run's base and these commits. Cheap when it already does."""

    def room(self, name: str, rev: str) -> BoxView:
        """A freshly written tree of that commit, as a box shows it."""

    def folder(self, name: str) -> str:
        """An empty host folder, out of every box's sight."""

    def kept(self, name: str) -> str:
        """A host folder that stays with the run; what is in it stays too."""

    def keep_patch(self, name: str, base: str, head: str) -> str:
        """A file that stays with the run and brings a tree from base to head with `git apply`."""

    def close(self, name: str) -> None:
        """Remove that room or folder."""
