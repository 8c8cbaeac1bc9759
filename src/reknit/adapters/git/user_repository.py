"""Reads the user's repository, with the user's own git settings but without hooks, monitors or filters."""

import functools
import os
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from reknit.adapters import process
from reknit.adapters.git.plumbing import history
from reknit.adapters.git.plumbing.command import COMMON_ENVIRONMENT, FLAGS, Git, git_program, last_words
from reknit.adapters.process import Completed
from reknit.core.errors import UsageError

MAX_DIRTY = 1_000
_NO_SUCH_COMMIT = 129
_MAX_FILTER_CHARS = 100_000
"""Maximum length of filter names: more would not fit into a process environment."""
_MAX_RENAMED_FILES = 5_000
"""Maximum files that git compares; with more, it finds a rename only if the content is unchanged."""
_FROM_THE_USER = ("PATH", "HOME", "XDG_CONFIG_HOME")
"""Variables that git needs to find the user's global ignore rules and `safe.directory`."""


@dataclass(frozen=True)
class UserRepository:
    """The user's working tree and its commits."""

    root: str
    """Absolute path of the working tree's top folder."""

    @classmethod
    def find(cls, path: str) -> Self:
        """Return the repository that contains this path; it must have a commit that reknit can repair."""
        if not Path(path).is_dir():
            raise UsageError("no-repository", f"{path!r} is not a folder", help=_GO_TO_A_REPOSITORY)
        completed = git_as_user(path, "rev-parse", "--show-object-format", "HEAD^{commit}", "--show-toplevel")
        if completed.exit_code == 0 and completed.stdout.startswith(b"sha1\n"):
            return cls(os.fsdecode(completed.stdout.split(b"\n", 2)[2].removesuffix(b"\n")))
        return cls._explain_failure(path)

    @classmethod
    def _explain_failure(cls, path: str) -> Self:
        """Find out why the repository cannot be used, and raise that error."""
        completed = git_as_user(path, "rev-parse", "--show-toplevel")
        if completed.exit_code != 0:
            raise _no_working_tree(path, last_words(completed))
        repository = cls(os.fsdecode(completed.stdout.removesuffix(b"\n")))
        if repository._line("rev-parse", "--show-object-format") != "sha1":
            raise UsageError(
                "sha256-repository", f"{repository.root!r} uses sha256 object names, which reknit cannot read yet"
            )
        if not repository._line("rev-parse", "--verify", "--quiet", "HEAD^{commit}"):
            raise UsageError(
                "no-commit", f"{repository.root!r} has no commit yet", help="commit your work once, then try again"
            )
        return repository

    def head(self) -> str:
        return self._line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")

    def parents(self) -> tuple[str, ...]:
        """Return the ids of the last commit's parents, even if a shallow clone does not have these commits."""
        commit = git_as_user(self.root, "cat-file", "commit", "HEAD").stdout.decode("utf-8", "replace")
        lines = commit.partition("\n\n")[0].splitlines()
        return tuple(line.removeprefix("parent ") for line in lines if line.startswith("parent "))

    def has_commit(self, rev: str) -> bool:
        return bool(rev and self._line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}"))

    def branch(self) -> str:
        """Return the current branch; empty if no branch is checked out."""
        return self._line("symbolic-ref", "--quiet", "--short", "HEAD")

    def dirty(self) -> tuple[str, ...]:
        """Return the paths that are new or differ from the last commit; at most `MAX_DIRTY` of them.

        Edited files with a filter (such as LFS) are left out: to compare them, a program of the repository would run.
        """
        output = self._names(
            *("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all"),
            env=self.without_filters(),
        )
        edited = [entry[3:] for entry in output if entry.startswith(b" M ")]
        unknown = self._filtered(edited) if edited else frozenset()
        paths = [entry[3:] for entry in output if entry[3:] not in unknown]
        return tuple(path.decode("utf-8", "replace") for path in paths[:MAX_DIRTY])

    def in_head_history(self, commits: Sequence[str]) -> tuple[str, ...]:
        """Return the commits that are in the history of the last commit."""
        here, others = self._split_by_history(commits, "HEAD")
        return tuple(commit for commit in here if commit not in others)

    def list_abandoned(self, commits: Sequence[str]) -> tuple[str, ...]:
        """Return the commits that are here, but on no branch, local or remote-tracking."""
        here, others = self._split_by_history(commits, "HEAD", "--branches", "--remotes")
        return tuple(commit for commit in here if commit in others)

    def _split_by_history(self, commits: Sequence[str], *tips: str) -> tuple[Sequence[str], Collection[str]]:
        """Return the commits that are here, and those that are not in the history of the tips."""
        here = [*self._objects([commit for commit in commits if re.fullmatch("[0-9a-f]{40}", commit)])]
        output = git_as_user(self.root, "rev-list", "--stdin", "--not", *tips, stdin="\n".join(here).encode() + b"\n")
        # An error of git says nothing about any commit.
        return (here, output.stdout.decode("ascii", "replace").split()) if output.exit_code == 0 else ((), ())

    def unchanged_since(self, files: Mapping[str, Sequence[str]]) -> frozenset[tuple[str, str]]:
        """Return (commit, path) of files unchanged between that commit and the last one. `files`: commit -> paths."""
        pairs = [(commit, path) for commit, paths in files.items() for path in paths]
        pairs = [(commit, path) for commit, path in pairs if re.fullmatch("[0-9a-f]{40}", commit)]
        blobs = self._objects([f"{rev}:{path}" for commit, path in pairs for rev in (commit, "HEAD")])
        names = ((f"{commit}:{path}", f"HEAD:{path}", (commit, path)) for commit, path in pairs)
        return frozenset(file for then, now, file in names if then in blobs and blobs[then] == blobs.get(now))

    def blobs(self, paths: Sequence[str]) -> dict[str, str]:
        """Return path -> blob id in the last commit, for those it has."""
        ids = self._objects([f"HEAD:{path}" for path in paths])
        return {name.removeprefix("HEAD:"): blob for name, blob in ids.items()}

    def staged(self) -> tuple[str, ...]:
        """Return the paths whose staged content differs from the last commit."""
        names = self._names("diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z", "HEAD")
        return tuple(name.decode() for name in names if _is_utf8(name))

    def untracked(self) -> tuple[str, ...]:
        """Return the files that are neither in the index nor ignored."""
        return self.untracked_in(".")

    def untracked_in(self, folder: str) -> tuple[str, ...]:
        output = self._names("ls-files", "-z", "--others", "--exclude-standard", "--", folder)
        return tuple(os.fsdecode(name) for name in output if _is_utf8(name))

    def branches_with(self, commit: str) -> tuple[str, ...]:
        """Return the full names of the branches with that commit, the checked-out one first; `HEAD` if detached."""
        if not re.fullmatch("[0-9a-f]{40}", commit):
            return ()
        form = "--format=%(HEAD)%(if)%(symref)%(then)%(else)%(refname)%(end)"
        completed = git_as_user(self.root, "for-each-ref", form, "--contains", commit, "refs/heads", "refs/remotes")
        if completed.exit_code not in (0, _NO_SUCH_COMMIT):  # a failure does not mean that it is on no branch
            raise UsageError("repository-unreadable", f"git failed in {self.root!r}: {last_words(completed)}")
        lines = completed.stdout.decode("utf-8", "replace").splitlines()
        refs = [line[1:] for line in sorted(lines, key=lambda line: not line.startswith("*")) if line[1:]]
        detached = not self.branch() and self.in_head_history([commit])
        return ("HEAD", *refs) if detached else tuple(refs)

    def has_branch(self, name: str) -> bool:
        return f"refs/heads/{name}" in self.branches(name)

    def branches(self, under: str) -> list[str]:
        return self._line("for-each-ref", "--format=%(refname)", f"refs/heads/{under}").splitlines()

    def remotes(self) -> tuple[tuple[str, str], ...]:
        """Return (name, address) as written in the config, before `insteadOf` rewrites them."""
        completed = git_as_user(self.root, "config", "-z", "--get-regexp", r"^remote\..+\.url$")
        entries = (entry.split("\n", 1) for entry in completed.stdout.decode("utf-8", "replace").split("\0") if entry)
        return tuple((key.removeprefix("remote.").removesuffix(".url"), url) for key, url in entries)

    def upstream(self) -> tuple[str, str]:
        """Return the remote (name or address) and its branch that the current branch tracks; or two empty strings."""
        branch = self.branch()
        if not branch:
            return "", ""
        remote, ref = (self._line("config", "--get", f"branch.{branch}.{key}") for key in ("remote", "merge"))
        return (remote, ref.removeprefix("refs/heads/")) if ref and remote not in ("", ".") else ("", "")

    def tracked(self) -> tuple[str, ...]:
        """Return every path in the last commit. The first call asks git; later ones return the same answer."""
        return self._tracked

    @functools.cached_property
    def _tracked(self) -> tuple[str, ...]:
        output = self._names("ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD")
        return tuple(name.decode("utf-8", "replace") for name in output)

    def files_in(self, folder: str, *, rev: str) -> tuple[str, ...]:
        """Return the regular files directly in that folder; empty if the commit or the folder is not here."""
        completed = git_as_user(self.root, "ls-tree", "-z", "--full-tree", rev, "--", f"{folder}/")
        entries = (
            (entry.partition(b"\t") for entry in completed.stdout.split(b"\0")) if completed.exit_code == 0 else ()
        )
        return tuple(os.fsdecode(name) for facts, _, name in entries if facts.startswith(b"100") and _is_utf8(name))

    def read(self, path: str, *, rev: str = "HEAD") -> str | None:
        """Return the file as of the last commit, or of another local one."""
        completed = git_as_user(self.root, "cat-file", "blob", f"{rev}:{path}")
        return completed.stdout.decode("utf-8", "replace") if completed.exit_code == 0 else None

    def text(self, path: str) -> str:
        """Return the file as of the last commit; empty if there is none."""
        return self.read(path) or ""

    def mentions(self, words: Sequence[str]) -> dict[str, tuple[str, ...]] | None:
        """Return word -> files of the last commit that contain it; None: too many words, or it took too long."""
        return history.mentions(Git(self._line("rev-parse", "--absolute-git-dir")), self.head(), words)

    def texts(self, paths: Sequence[str]) -> dict[str, str]:
        """Return path -> text in the last commit, for files it has; a name with a line break cannot be looked up."""
        known_paths = [path for path in paths if "\n" not in path and "\r" not in path]
        stdin = "".join(f"HEAD:{path}\n" for path in known_paths).encode()
        output = git_as_user(self.root, "cat-file", "--batch", stdin=stdin).stdout if known_paths else b""
        contents: dict[str, str] = {}
        for path in known_paths:
            header, _, output = output.partition(b"\n")
            if not header.endswith(b" missing"):
                _id, kind, size = header.split(b" ")
                content, output = output[: int(size)], output[int(size) + 1 :]
                if kind == b"blob":
                    contents[path] = content.decode("utf-8", "replace")
        return contents

    def renames(self, since: str) -> dict[str, str]:
        """Return old path -> new path, from that commit to the index; empty if the commit is not here.

        Compares only the index and objects: no filter, converter or other program of the repository runs.
        """
        commit = self._line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{since}^{{commit}}")
        if not commit:
            return {}
        output = self._names(
            *("diff-index", "--cached", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
            *("--find-renames", f"-l{_MAX_RENAMED_FILES}", "--diff-filter=R", "--name-status", "-z", commit, "--"),
        )
        pairs = zip(output[1::3], output[2::3], strict=True)
        return {os.fsdecode(old): os.fsdecode(new) for old, new in pairs if _is_utf8(old) and _is_utf8(new)}

    def ignored(self) -> tuple[str, ...]:
        """Return the ignored files; a folder that is ignored entirely is one entry that ends in `/`."""
        output = self._names("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
        return tuple(os.fsdecode(name) for name in output if _is_utf8(name))

    def without_filters(self) -> dict[str, str]:
        """Return an environment that sets every configured filter to empty, which git treats as no filter."""
        names = [os.fsdecode(name) for name in self._names("config", "--list", "--name-only", "-z")]
        keys = sorted({name for name in names if name.startswith("filter.")})
        if sum(map(len, keys)) > _MAX_FILTER_CHARS:
            raise UsageError("repository-unreadable", f"the git config of {self.root!r} names too many filters")
        numbered = {f"GIT_CONFIG_KEY_{number}": key for number, key in enumerate(keys)}
        emptied = {f"GIT_CONFIG_VALUE_{number}": "" for number in range(len(keys))}
        return {"GIT_CONFIG_COUNT": str(len(keys)), **numbered, **emptied}

    def _filtered(self, paths: Sequence[bytes]) -> frozenset[bytes]:
        """Return the paths with a filter attribute; looking it up does not run the filter."""
        output = self._names("check-attr", "-z", "--stdin", "filter", stdin=b"".join(path + b"\0" for path in paths))
        answers = zip(output[0::3], output[2::3], strict=True)
        return frozenset(path for path, value in answers if value not in (b"unspecified", b"unset"))

    def _objects(self, names: Sequence[str]) -> dict[str, str]:
        """Return name -> id, for existing objects; a name with a line break cannot be looked up."""
        names = [name for name in names if "\n" not in name and "\r" not in name]
        if not names:
            return {}
        output = git_as_user(
            *(self.root, "cat-file", "--batch-check=%(objectname)"),
            stdin="".join(f"{name}\n" for name in names).encode(),
        )
        lines = output.stdout.decode("utf-8", "replace").split("\n")
        answers = zip(names, lines, strict=False)
        return {name: line for name, line in answers if re.fullmatch("[0-9a-f]{40}", line)}

    def _names(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> list[bytes]:
        completed = git_as_user(self.root, *args, stdin=stdin, env=env)
        if completed.exit_code != 0:
            raise UsageError("repository-unreadable", f"git {args[0]} failed in {self.root!r}: {last_words(completed)}")
        return completed.stdout.split(b"\0")[:-1]

    def _line(self, *args: str) -> str:
        completed = git_as_user(self.root, *args)
        return completed.stdout.decode("utf-8", "replace").strip() if completed.exit_code == 0 else ""


_GO_TO_A_REPOSITORY = "go to a folder inside a git working tree, or make one with `git init`; `reknit demo` needs none"


def git_as_user(
    cwd: str, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, prints_much: bool = False
) -> Completed:
    """Run git in the user's repository, with the user's settings but without hooks, monitors or pagers."""
    places = {name: os.environ[name] for name in _FROM_THE_USER if name in os.environ}
    full = {**COMMON_ENVIRONMENT, **places, **(env or {})}
    argv = [git_program(), *FLAGS, *args]
    return process.run(argv, env=full, cwd=cwd, stdin=stdin, timeout_s=120.0, prints_much=prints_much)


def _no_working_tree(path: str, words: str) -> UsageError:
    foreign = re.search(r"dubious ownership in repository at '(.*)'", words)
    if foreign:
        return UsageError(
            "repository-of-another-user",
            f"git does not trust the repository at {foreign[1]!r}, because another user owns it",
            help=f"if you trust it: git config --global --add safe.directory {shlex.quote(foreign[1])}",
        )
    if "not a git repository" in words:
        return UsageError("no-repository", f"{path!r} is not in a git repository", help=_GO_TO_A_REPOSITORY)
    return UsageError("no-repository", f"{path!r} is not in a working tree: {words}", help=_GO_TO_A_REPOSITORY)


def _is_utf8(name: bytes) -> bool:
    return name.decode("utf-8", "ignore").encode() == name
