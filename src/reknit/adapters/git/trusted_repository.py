"""git on reknit's own gitdir, which no agent can write: the only class that reads, keeps and lands content."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from reknit.adapters.files.folders import make_fresh, temporary_folder
from reknit.adapters.git import agent_tree, landing, local_import, submodules
from reknit.adapters.git.ignore_rules import ignore_rules
from reknit.adapters.git.plumbing import history, search
from reknit.adapters.git.plumbing.command import LONG_S, Git
from reknit.adapters.git.plumbing.objects import read_change, read_tree
from reknit.adapters.git.plumbing.trusted_gitdir import make_gitdir
from reknit.adapters.git.plumbing.write_commit import commit_change, commit_texts, write_commit
from reknit.adapters.git.remote import fetch_from, push_to
from reknit.core.errors import InternalError
from reknit.core.forge.values import PushAnswer, Remote
from reknit.core.repository.change import Change

PRIVATE = "refs/reknit/"


class TrustedGit:
    """Implements `ports.TrustedRepository`."""

    def __init__(self, gitdir: str) -> None:
        self.gitdir = gitdir
        self._git = Git(gitdir)

    @classmethod
    def open(cls, gitdir: str) -> "TrustedGit":
        """Creates the gitdir if it is missing."""
        make_gitdir(Path(gitdir))
        return cls(str(Path(gitdir).resolve()))

    def fetch(self, repository: str, commit: str) -> None:
        """Copy this commit and its history from the user's repository. Idempotent."""
        local_import.bring(self._git, repository, commit)

    def bring_submodules(self, repository: str, rev: str) -> None:
        """Copy the files of the submodules that the user's repository has checked out. Idempotent."""
        submodules.bring(self._git, repository, rev)

    def write_tree_to(self, rev: str, folder: str) -> None:
        """With the files of the submodules that are here."""
        tree = self._git.known(rev, "tree")
        make_fresh(Path(folder))
        with temporary_folder("index-", self.gitdir) as private:
            places = {"GIT_INDEX_FILE": str(Path(private, "index")), "GIT_WORK_TREE": str(Path(folder).resolve())}
            self._git.out("read-tree", tree, env=places)
            self._git.out("checkout-index", "--all", "--force", "--quiet", env=places, timeout_s=LONG_S)
        submodules.write(self._git, tree, folder)

    def snapshot(self, folder: str, base: str, ref: str, *, skip: Sequence[str] = (), at: float) -> Change:
        _check_private(ref)
        base = self._git.known(base, "commit")
        tree = read_tree(self._git, base)
        inner = submodules.trees(self._git, tree)
        with ignore_rules(self._git, tree) as rules:
            seen = agent_tree.look(
                folder, tree, skip=skip, size_of=self._size_of, submodules=inner, leaves_out=rules.leaves_out
            )
        head = write_commit(self._git, base, seen.edits, "snapshot\n", at=at) if seen.edits else base
        self._git.out("update-ref", "--no-deref", ref, head)
        change = read_change(self._git, base, head)
        return Change(change.files, (*seen.unsafe, *change.unsafe), seen.left_out)

    def change(self, base: str, head: str) -> Change:
        return read_change(self._git, base, head)

    def diff(self, base: str, head: str) -> str:
        return self._diff(base, head).decode("utf-8", "replace")

    def patch(self, base: str, head: str) -> bytes:
        """For `git apply`: nothing is omitted or replaced."""
        return self._diff(base, head, "--binary")

    def _diff(self, base: str, head: str, *more: str) -> bytes:
        return self._git.out(
            "diff-tree", "-r", "-p", "--no-color", "--no-renames", "--no-ext-diff", "--no-textconv", "--full-index",
            "--ignore-submodules=none", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", *more,
            self._git.known(base, "tree"), self._git.known(head, "tree"),
        )  # fmt: skip

    def commit(self, base: str, change: Change, message: str, *, at: float) -> str:
        return commit_change(self._git, base, change, message, at=at)

    def commit_for_tests(self, base: str, files: Mapping[str, str | None], *, at: float) -> str:
        return commit_texts(self._git, base, files, at=at)

    def resolve(self, rev: str) -> str:
        return self._git.object_id(rev, "commit")

    def read(self, rev: str, path: str) -> str:
        shown = self._git.run("cat-file", "blob", f"{self._git.known(rev, 'tree')}:{path}")
        return shown.stdout.decode("utf-8", "replace") if path and shown.exit_code == 0 else ""

    def links(self, rev: str) -> dict[str, str]:
        listed = self._git.out("ls-tree", "-r", "-z", "--full-tree", self._git.known(rev, "tree")).split(b"\0")
        entries = (entry.decode("utf-8", "replace").split("\t", 1) for entry in listed if entry.startswith(b"120000 "))
        return {path: self.read(rev, path) for _, path in entries}

    def tree_of(self, rev: str) -> str:
        return self._git.object_id(rev, "tree")

    def paths(self, rev: str) -> tuple[str, ...]:
        names = self._git.out("ls-tree", "-r", "-z", "--name-only", "--full-tree", self._git.known(rev, "tree"))
        return tuple(name.decode("utf-8", "replace") for name in names.split(b"\0") if name)

    def blobs(self, rev: str) -> dict[str, str]:
        tree = read_tree(self._git, self._git.known(rev, "tree"))
        return {path.decode("utf-8", "replace"): entry.sha for path, entry in tree.items()}

    def keep(self, ref: str, commit: str) -> None:
        """Point a private ref at this commit to keep it."""
        _check_private(ref)
        self._git.out("update-ref", "--no-deref", ref, self._git.known(commit, "commit"))

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
        return search.mentions(self._git, rev, words)

    def land(self, repository: str, commit: str, branch: str) -> None:
        landing.land_commit(self._git, repository, commit, branch)

    def remove_branch(self, repository: str, branch: str, expected: str | None) -> bool:
        """False: there was no such branch. Refuses if it moved or is checked out."""
        return landing.remove_branch(repository, branch, expected)

    def _size_of(self, blob: str) -> int:
        return int(self._git.line("cat-file", "-s", blob))


def _check_private(ref: str) -> None:
    if not ref.startswith(PRIVATE) or ref.rstrip("/") == PRIVATE.rstrip("/"):
        raise InternalError("not-our-ref", f"{ref!r} is not below {PRIVATE!r}")
