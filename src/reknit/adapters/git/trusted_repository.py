"""The trusted repository: reads, stores and lands content, in a gitdir that no agent can write to."""

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from reknit.adapters.files.folders import make_fresh, temporary_folder
from reknit.adapters.git import agent_tree, landing, local_import, submodules
from reknit.adapters.git.plumbing import history
from reknit.adapters.git.plumbing.command import LONG_S, Git
from reknit.adapters.git.plumbing.objects import Tree, parent_folders, read_change, read_tree
from reknit.adapters.git.plumbing.write_commit import commit_change, commit_texts, make_gitdir, write_commit
from reknit.adapters.git.remote import fetch_from, push_to
from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.process import ProcessTimeoutError
from reknit.core.errors import InternalError
from reknit.core.forge.values import PushAnswer, Remote
from reknit.core.repository.change import EXECUTABLE, REGULAR, Change

_TIMEOUT_S = 20.0


class IgnoreRules:
    """The `.gitignore` files of one commit; those that an agent wrote have no effect."""

    def __init__(self, git: Git, tree: Tree, places: dict[str, str]) -> None:
        """`places`: environment with the folders of the rules; empty: there are none."""
        self._git, self._places = git, places
        self._folders = {parent for path in tree for parent in parent_folders(path)}

    def leaves_out(self, paths: Sequence[bytes]) -> frozenset[bytes]:
        """Return the new paths that git would not add; a folder ends in `/`.

        New files in an ignored folder are kept if the folder has tracked files.
        """
        if not self._places or not paths:
            return frozenset()
        tracked = {parent for path in paths for parent in parent_folders(path) if parent in self._folders}
        ignored = self._find_ignored([*paths, *(folder + b"/" for folder in tracked)])
        overruled = {folder for folder in tracked if folder + b"/" in ignored}
        return frozenset(path for path in paths if path in ignored and overruled.isdisjoint(parent_folders(path)))

    def _find_ignored(self, paths: Sequence[bytes]) -> frozenset[bytes]:
        for path in paths:
            if path.endswith(b"/"):
                self._make_folder(path)
        # check-ignore has no literal pathspecs, but after `./` no character is special.
        request = b"".join(b"./" + path.rstrip(b"/") + b"\0" for path in paths)
        env = {**self._places, "GIT_LITERAL_PATHSPECS": "0"}
        try:
            answer = self._git.run(
                "check-ignore", "--no-index", "-z", "--stdin", stdin=request, env=env, timeout_s=_TIMEOUT_S
            )
        except ProcessTimeoutError:  # a pattern can be written so that it takes forever
            return frozenset()
        names = {path.removeprefix(b"./") for path in answer.stdout.split(b"\0")}
        return frozenset(path for path in paths if path.rstrip(b"/") in names)

    def _make_folder(self, path: bytes) -> None:
        """Create the folder: a rule for folders applies only to an existing one."""
        with contextlib.suppress(OSError):  # too long a name
            os.makedirs(os.path.join(os.fsencode(self._places["GIT_WORK_TREE"]), path), exist_ok=True)  # noqa: PTH103, PTH118 - bytes


@contextlib.contextmanager
def ignore_rules(git: Git, tree: Tree) -> Iterator[IgnoreRules]:
    """Write the ignore rules of a commit to a temporary folder, the only place where git reads them, and yield them."""
    files = {path: entry for path, entry in tree.items() if path.rpartition(b"/")[2] == b".gitignore"}
    plain = {path: entry for path, entry in files.items() if entry.mode in (REGULAR, EXECUTABLE)}
    with temporary_folder("rules-", git.gitdir) as folder:
        if not plain:
            yield IgnoreRules(git, tree, {})
            return
        Path(folder, "tree").mkdir()
        places = {"GIT_INDEX_FILE": str(Path(folder, "index")), "GIT_WORK_TREE": str(Path(folder, "tree").resolve())}
        lines = b"".join(b"%06o %s\t%s\0" % (entry.mode, entry.sha.encode(), path) for path, entry in plain.items())
        git.out("update-index", "-z", "--index-info", stdin=lines, env=places)
        git.out("checkout-index", "--all", "--force", "--quiet", env=places)
        yield IgnoreRules(git, tree, places)


PRIVATE = "refs/reknit/"


_AT_ONCE = 4
_DIFF = (
    "diff-tree", "-r", "-p", "--no-color", "--no-renames", "--no-ext-diff", "--no-textconv", "--full-index",
    "--ignore-submodules=none", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip


class TrustedGit:
    """A gitdir that no agent can write to; implements `reknit.ports.repository.TrustedRepository`."""

    def __init__(self, gitdir: str) -> None:
        self.gitdir = gitdir
        self._git = Git(gitdir)

    @classmethod
    def open(cls, gitdir: str) -> "TrustedGit":
        """Open the gitdir; create it if it is missing."""
        make_gitdir(Path(gitdir))
        return cls(str(Path(gitdir).resolve()))

    def fetch(self, repository: str, commit: str) -> None:
        """Copy this commit and its history from the user's repository. Idempotent."""
        local_import.import_commit(self._git, repository, commit)

    def bring_submodules(self, repository: str, rev: str) -> None:
        """Copy the files of the submodules that the user's repository has checked out. Idempotent."""
        submodules.copy_submodules(self._git, repository, rev)

    def write_tree_to(self, rev: str, folder: str) -> None:
        """Write the tree, with the files of those submodules that this gitdir has."""
        tree = self._git.resolve_id(rev, "tree")
        make_fresh(Path(folder))
        with temporary_folder("index-", self.gitdir) as private:
            places = {"GIT_INDEX_FILE": str(Path(private, "index")), "GIT_WORK_TREE": str(Path(folder).resolve())}
            self._git.out("read-tree", tree, env=places)
            self._git.out("checkout-index", "--all", "--force", "--quiet", env=places, timeout_s=LONG_S)
        submodules.write_submodules(self._git, tree, folder)

    def snapshot(
        self, folder: str, base: str, ref: str, *, skip: Sequence[str] = (), only: Sequence[str] | None = None,
        at: float,
    ) -> Change:  # fmt: skip
        _check_private(ref)
        base = self._git.resolve_id(base, "commit")
        tree = read_tree(self._git, base)
        inner = submodules.read_trees(self._git, tree)
        with ignore_rules(self._git, tree) as rules:
            difference = agent_tree.compare_folder(
                folder, tree, skip=skip, size_of=self._read_size, submodules=inner, leaves_out=rules.leaves_out,
                only=None if only is None else [*map(os.fsencode, only)],
            )  # fmt: skip
        head = write_commit(self._git, base, difference.edits, "snapshot\n", at=at) if difference.edits else base
        self._git.out("update-ref", "--no-deref", ref, head)
        change = read_change(self._git, base, head)
        return Change(change.files, (*difference.unsafe, *change.unsafe), difference.left_out)

    def change(self, base: str, head: str) -> Change:
        return read_change(self._git, base, head)

    def diff(self, base: str, head: str) -> str:
        return self._diff(base, head).decode("utf-8", "replace")

    def diffs(self, pairs: Mapping[int, tuple[str, str]]) -> dict[int, str]:
        """Return the diff of each pair of refs, by its key; a pair that is not complete is left out."""
        listing = self._git.out("for-each-ref", "--format=%(refname) %(tree)", "refs/reknit/").decode()
        trees = dict(line.split(" ", 1) for line in listing.splitlines())
        known = {key: (trees[old], trees[new]) for key, (old, new) in pairs.items() if old in trees and new in trees}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            diffs = pool.map(lambda pair: self._git.out(*_DIFF, *pair).decode("utf-8", "replace"), known.values())
            return dict(zip(known, diffs, strict=True))

    def patch(self, base: str, head: str) -> bytes:
        return self._diff(base, head, "--binary")

    def _diff(self, base: str, head: str, *more: str) -> bytes:
        return self._git.out(*_DIFF, *more, self._git.resolve_id(base, "tree"), self._git.resolve_id(head, "tree"))

    def commit(self, base: str, change: Change, message: str, *, at: float) -> str:
        return commit_change(self._git, base, change, message, at=at)

    def commit_for_tests(self, base: str, files: Mapping[str, str | None], *, at: float) -> str:
        return commit_texts(self._git, base, files, at=at)

    def resolve(self, rev: str) -> str:
        return self._git.object_id(rev, "commit")

    def read(self, rev: str, path: str) -> str:
        completed = self._git.run("cat-file", "blob", f"{self._git.resolve_id(rev, 'tree')}:{path}")
        return completed.stdout.decode("utf-8", "replace") if path and completed.exit_code == 0 else ""

    def links(self, rev: str) -> dict[str, str]:
        listing = self._git.out("ls-tree", "-r", "-z", "--full-tree", self._git.resolve_id(rev, "tree")).split(b"\0")
        entries = (entry.decode("utf-8", "replace").split("\t", 1) for entry in listing if entry.startswith(b"120000 "))
        return {path: self.read(rev, path) for _, path in entries}

    def tree_of(self, rev: str) -> str:
        return self._git.object_id(rev, "tree")

    def paths(self, rev: str) -> tuple[str, ...]:
        names = self._git.out("ls-tree", "-r", "-z", "--name-only", "--full-tree", self._git.resolve_id(rev, "tree"))
        return tuple(name.decode("utf-8", "replace") for name in names.split(b"\0") if name)

    def blobs(self, rev: str) -> dict[str, str]:
        tree = read_tree(self._git, self._git.resolve_id(rev, "tree"))
        return {path.decode("utf-8", "replace"): entry.sha for path, entry in tree.items()}

    def keep(self, ref: str, commit: str) -> None:
        _check_private(ref)
        self._git.out("update-ref", "--no-deref", ref, self._git.resolve_id(commit, "commit"))

    def fetch_from(self, remote: Remote, refs: Sequence[str]) -> dict[str, str]:
        return fetch_from(self._git, remote, refs)

    def push_to(self, remote: Remote, commit: str, branch: str, *, expect: str) -> PushAnswer:
        return push_to(self._git, remote, commit, branch, expect=expect)

    def show(self, commit: str) -> None:
        local_import.show(self._git, commit)

    def merge_base(self, one: str, other: str) -> str:
        return history.merge_base(self._git, one, other)

    def is_ancestor(self, old: str, new: str) -> bool:
        return history.is_ancestor(self._git, old, new)

    def replay(self, commit: str, onto: str, *, at: float) -> str:
        return history.replay(self._git, commit, onto, at=at)

    def messages(self, base: str, head: str) -> tuple[tuple[str, str, str], ...]:
        return history.messages(self._git, base, head)

    def last_commits_of_lines(self, rev: str, places: Sequence[tuple[str, int]]) -> tuple[str, ...]:
        return history.last_commits_of_lines(self._git, rev, places)

    def renames(self, old: str, new: str) -> dict[str, str]:
        return history.renames(self._git, old, new)

    def recently_changed(self, rev: str, commits: int) -> tuple[str, ...]:
        return history.recently_changed(self._git, rev, commits)

    def mentions(self, rev: str, words: Sequence[str]) -> dict[str, tuple[str, ...]] | None:
        return history.mentions(self._git, rev, words)

    def land(self, repository: str, commit: str, branch: str) -> None:
        landing.land_commit(self._git, repository, commit, branch)

    def list_abandoned(self, repository: str, commits: Sequence[str]) -> tuple[str, ...]:
        return UserRepository(repository).list_abandoned(commits)

    def remove_branch(self, repository: str, branch: str, expected: str | None) -> bool:
        """Remove a branch of the user's repository; return False if there is none.

        A branch that is not at `expected`, or is checked out, is not removed: that is an error.
        """
        return landing.remove_branch(repository, branch, expected)

    def _read_size(self, blob: str) -> int:
        return int(self._git.line("cat-file", "-s", blob))


def _check_private(ref: str) -> None:
    if not ref.startswith(PRIVATE) or ref.rstrip("/") == PRIVATE.rstrip("/"):
        raise InternalError("not-our-ref", f"{ref!r} is not below {PRIVATE!r}")
