"""Protocols of the trusted copy of a repository, a run's work folders, and files written for the user."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from reknit.core.box import BoxView
from reknit.core.forge.values import PushAnswer, Remote
from reknit.core.repository.change import Change


class TrustedRepository(Protocol):
    """git on a private gitdir that no agent can write to. Every call has a time limit."""

    gitdir: str

    def write_tree_to(self, rev: str, folder: str) -> None:
        """Write a fresh plain copy of that tree, without `.git`. Replaces the folder's contents."""

    def snapshot(self, folder: str, base: str, ref: str, *, skip: Sequence[str] = (), at: float) -> Change:
        """Return what differs from `base` in the folder, and keep it as a commit under the private `ref`.

        An agent wrote the folder, so it is only data. `skip`: carried paths, of which bwrap left mount points.
        """

    def change(self, base: str, head: str) -> Change:
        """Return the differences between two trees or commits of this gitdir."""

    def paths(self, rev: str) -> tuple[str, ...]: ...

    def blobs(self, rev: str) -> Mapping[str, str]:
        """Return the path of every file of that tree, with the id of its content."""

    def read(self, rev: str, path: str) -> str:
        """Return a file's text; empty if there is no such file."""

    def tree_of(self, rev: str) -> str:
        """Return the id of the tree; empty if there is no such revision."""

    def links(self, rev: str) -> Mapping[str, str]:
        """Return every symbolic link of that tree with its target, as written in the link."""

    def diff(self, base: str, head: str) -> str: ...

    def patch(self, base: str, head: str) -> bytes:
        """Return the diff for `git apply`: nothing is left out or replaced."""

    def commit(self, base: str, change: Change, message: str, *, at: float) -> str:
        """Create a commit of exactly this change on top of base. The same input gives the same commit id."""

    def commit_for_tests(self, base: str, files: Mapping[str, str | None], *, at: float) -> str:
        """Return a commit with these texts on top of base (None: delete the file).

        Such a commit is only checked out, to run something in it.
        """

    def resolve(self, rev: str) -> str:
        """Return the commit id, or an empty string."""

    def keep(self, ref: str, commit: str) -> None:
        """Point a private ref at this commit, so that git does not delete it."""

    def fetch_from(self, remote: Remote, refs: Sequence[str]) -> Mapping[str, str]:
        """Fetch these full ref names from a forge: ref -> commit. A ref that does not exist is left out.

        Raises `ForgeError` if the forge could not be reached or refused.
        """

    def push_to(self, remote: Remote, commit: str, branch: str, *, expect: str) -> PushAnswer:
        """Push the commit to a forge's branch if the branch is still at `expect`. A second call does nothing."""

    def show(self, commit: str) -> None:
        """Make this commit the HEAD that a box sees, so that an agent can use log, status and diff."""

    def merge_base(self, one: str, other: str) -> str:
        """Return the merge base; empty if they share no history."""

    def is_ancestor(self, old: str, new: str) -> bool: ...

    def replay(self, commit: str, onto: str, *, at: float) -> str:
        """Return a commit with the change and message of `commit` on top of `onto`, a descendant of its parent.

        Return `onto` if it has the change already, and an empty string if the change cannot be replayed.
        """

    def messages(self, base: str, head: str) -> tuple[tuple[str, str, str], ...]:
        """Return (commit, message, author) of everything in head that is not in base, newest first; at most 200."""

    def renames(self, old: str, new: str) -> Mapping[str, str]:
        """Return old path -> new path between two commits; empty if one of them is not here."""

    def last_commits_of_lines(self, rev: str, places: Sequence[tuple[str, int]]) -> tuple[str, ...]:
        """Return, for each (file, line), the commit that last changed that line; empty if there is no such line."""

    def recently_changed(self, rev: str, commits: int) -> tuple[str, ...]:
        """Return the paths that the last commits up to `rev` changed, newest first; at most 10,000."""

    def mentions(self, rev: str, words: Sequence[str]) -> Mapping[str, tuple[str, ...]] | None:
        """Return word -> files of that commit that contain it, if any. None: too many words, or it took too long."""

    def land(self, repository: str, commit: str, branch: str) -> None:
        """Put the commit on a branch of the user's repository; index, tree, config, hooks and other refs stay."""

    def list_abandoned(self, repository: str, commits: Sequence[str]) -> tuple[str, ...]:
        """Return the commits that the user's repository has on no branch, local or remote-tracking."""


class Workspace(Protocol):
    """The folders of one run on this machine. Everything in them can be recreated from the trusted gitdir."""

    @property
    def repository(self) -> TrustedRepository: ...

    def ensure_commits(self, *revs: str) -> None:
        """Ensure that the trusted gitdir has the run's base and these commits. Cheap if it already does."""

    def open_tree(self, name: str, rev: str, *, only_tracked: bool = False) -> BoxView:
        """Write a fresh copy of that commit's tree and return it as a box shows it.

        `only_tracked`: nothing that was installed or carried over, and no tools of the project.
        """

    def folder(self, name: str) -> str:
        """Create an empty host folder, outside every tree that a box shows."""

    def kept_folder(self, name: str) -> str:
        """Return a host folder that is stored with the run, contents included."""

    def keep_patch(self, name: str, base: str, head: str) -> str:
        """Write the patch from base to head to a file that is stored with the run, and return its path.

        The patch is for `git apply`.
        """

    def close(self, name: str) -> None:
        """Remove that work tree or folder."""


class WorkingTreeFiles(Protocol):
    """Files of the user's working tree. Every write is atomic and follows no symbolic link.

    Paths are relative to the root.
    """

    def append(self, root: str, path: str, text: str) -> bool:
        """Append the text. Return False if the file already ends with it, so that nothing was written."""

    def rewrite(self, root: str, path: str, change: Callable[[str], str]) -> bool:
        """Replace the text by the result of `change`; create missing folders. Return False if the text is the same.

        `change` may be called again if another program writes at the same time. It gets "" for a missing file.
        """

    def read(self, root: str, path: str) -> str:
        """Return the file's text; empty if there is no such file."""
