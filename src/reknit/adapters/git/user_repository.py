"""A read-only view of the user's repository, with the user's own settings but without hooks, monitors or filters."""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.git.plumbing.command import COMMON_ENVIRONMENT, FLAGS, git_program, last_words
from reknit.adapters.process import Completed
from reknit.core.errors import UsageProblem

MAX_DIRTY = 1_000
_NO_SUCH_COMMIT = 129
_MOST_FILTER_CHARS = 100_000
"""More does not fit into the environment of a process."""
_MOST_RENAMED = 5_000
"""Files that are compared with each other; above that only those that kept their content are recognised."""
_FROM_THE_USER = ("PATH", "HOME", "XDG_CONFIG_HOME")
"""All that is passed on: a user's global ignore rules and `safe.directory` are found by these."""


@dataclass(frozen=True)
class UserRepository:
    root: str
    """Absolute path of the top of the working tree."""

    @classmethod
    def find(cls, path: str) -> "UserRepository":
        """The repository this path is in, at a commit that can be repaired."""
        if not Path(path).is_dir():
            raise UsageProblem("no-repository", f"{path!r} is not a folder", help=_GO_TO_A_REPOSITORY)
        asked = _git(path, "rev-parse", "--show-toplevel")
        if asked.exit_code != 0:
            raise _no_working_tree(path, last_words(asked))
        repository = cls(os.fsdecode(asked.stdout.removesuffix(b"\n")))
        if repository._line("rev-parse", "--show-object-format") != "sha1":
            raise UsageProblem(
                "sha256-repository", f"{repository.root!r} uses sha256 object names, which reknit cannot read yet"
            )
        if not repository._line("rev-parse", "--verify", "--quiet", "HEAD^{commit}"):
            raise UsageProblem(
                "no-commit", f"{repository.root!r} has no commit yet", help="commit your work once, then try again"
            )
        return repository

    def head(self) -> str:
        return self._line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")

    def branch(self) -> str:
        """Empty when no branch is checked out."""
        return self._line("symbolic-ref", "--quiet", "--short", "HEAD")

    def dirty(self) -> tuple[str, ...]:
        """Paths that differ from the last commit or are new; at most `MAX_DIRTY` of them.

        A file with a filter (large files of LFS) is not known to differ: the filter is a program of the repository's.
        """
        told = self._names(
            *("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all"),
            env=self._without_filters(),
        )
        edited = [entry[3:] for entry in told if entry.startswith(b" M ")]
        unknown = self._filtered(edited) if edited else frozenset()
        paths = [entry[3:] for entry in told if entry[3:] not in unknown]
        return tuple(path.decode("utf-8", "replace") for path in paths[:MAX_DIRTY])

    def having(self, commits: Sequence[str]) -> tuple[str, ...]:
        """Those that the last commit has in its history."""
        here = self._objects([commit for commit in commits if re.fullmatch("[0-9a-f]{40}", commit)])
        if not here:
            return ()
        told = _git(self.root, "rev-list", "--stdin", stdin="\n".join((*here, "^HEAD")).encode() + b"\n")
        if told.exit_code != 0:  # what could not be seen is not there
            return ()
        others = {*told.stdout.decode("ascii", "replace").split()}
        return tuple(commit for commit in here if commit not in others)

    def carrying(self, files: Mapping[str, Sequence[str]]) -> frozenset[tuple[str, str]]:
        """(commit, path) of files that the last commit has just as that commit made them. `files`: commit -> paths."""
        asked = [(commit, path) for commit, paths in files.items() for path in paths]
        asked = [(commit, path) for commit, path in asked if re.fullmatch("[0-9a-f]{40}", commit)]
        blobs = self._objects([f"{rev}:{path}" for commit, path in asked for rev in (commit, "HEAD")])
        made = ((f"{commit}:{path}", f"HEAD:{path}", (commit, path)) for commit, path in asked)
        return frozenset(file for then, now, file in made if then in blobs and blobs[then] == blobs.get(now))

    def blobs(self, paths: Sequence[str]) -> dict[str, str]:
        """The ids of their contents in the last commit; of those that it has."""
        found = self._objects([f"HEAD:{path}" for path in paths])
        return {name.removeprefix("HEAD:"): blob for name, blob in found.items()}

    def untracked(self) -> tuple[str, ...]:
        """Files that are neither in the index nor ignored."""
        told = self._names("ls-files", "-z", "--others", "--exclude-standard")
        return tuple(os.fsdecode(name) for name in told if _is_utf8(name))

    def branches_with(self, commit: str) -> tuple[str, ...]:
        """Full names of those that have that commit: the checked-out one first, then local, then remote-tracking.

        `HEAD` is one of them when it is on no branch.
        """
        if not re.fullmatch("[0-9a-f]{40}", commit):
            return ()
        form = "--format=%(HEAD)%(if)%(symref)%(then)%(else)%(refname)%(end)"
        asked = _git(self.root, "for-each-ref", form, "--contains", commit, "refs/heads", "refs/remotes")
        if asked.exit_code not in (0, _NO_SUCH_COMMIT):  # what could not be seen is not nowhere
            raise UsageProblem("repository-unreadable", f"git failed in {self.root!r}: {last_words(asked)}")
        lines = asked.stdout.decode("utf-8", "replace").splitlines()
        refs = [line[1:] for line in sorted(lines, key=lambda line: not line.startswith("*")) if line[1:]]
        detached = not self.branch() and self.having([commit])
        return ("HEAD", *refs) if detached else tuple(refs)

    def has_branch(self, name: str) -> bool:
        return _git(self.root, "show-ref", "--verify", "--quiet", f"refs/heads/{name}").exit_code == 0

    def remotes(self) -> tuple[tuple[str, str], ...]:
        """(name, address) as they stand in the config, without what `insteadOf` would make of them."""
        asked = _git(self.root, "config", "-z", "--get-regexp", r"^remote\..+\.url$")
        entries = (entry.split("\n", 1) for entry in asked.stdout.decode("utf-8", "replace").split("\0") if entry)
        return tuple((key.removeprefix("remote.").removesuffix(".url"), url) for key, url in entries)

    def upstream(self) -> tuple[str, str]:
        """The remote, by name or address, and the branch there that the checked-out one follows; or two empty texts."""
        branch = self.branch()
        if not branch:
            return "", ""
        remote, ref = (self._line("config", "--get", f"branch.{branch}.{key}") for key in ("remote", "merge"))
        return (remote, ref.removeprefix("refs/heads/")) if ref and remote not in ("", ".") else ("", "")

    def tracked(self) -> tuple[str, ...]:
        """Every path of the last commit."""
        told = self._names("ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD")
        return tuple(name.decode("utf-8", "replace") for name in told)

    def read(self, path: str, *, rev: str = "HEAD") -> str | None:
        """The file as it is in the last commit, or in another one that is here."""
        asked = _git(self.root, "cat-file", "blob", f"{rev}:{path}")
        return asked.stdout.decode("utf-8", "replace") if asked.exit_code == 0 else None

    def renames(self, since: str) -> dict[str, str]:
        """Old path -> new path, from that commit to the index; none when the commit is not here.

        Only the index and objects are compared: no filter, converter or other program of the repository runs.
        """
        commit = self._line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{since}^{{commit}}")
        if not commit:
            return {}
        told = self._names(
            *("diff-index", "--cached", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
            *("--find-renames", f"-l{_MOST_RENAMED}", "--diff-filter=R", "--name-status", "-z", commit, "--"),
        )
        pairs = zip(told[1::3], told[2::3], strict=True)
        return {os.fsdecode(old): os.fsdecode(new) for old, new in pairs if _is_utf8(old) and _is_utf8(new)}

    def ignored(self) -> tuple[str, ...]:
        """What is here but ignored; a folder that is ignored as a whole is one entry that ends in `/`."""
        told = self._names("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
        return tuple(os.fsdecode(name) for name in told if _is_utf8(name))

    def _without_filters(self) -> dict[str, str]:
        """An environment in which each filter that any config names is empty, which git takes for none."""
        names = [os.fsdecode(name) for name in self._names("config", "--list", "--name-only", "-z")]
        keys = sorted({name for name in names if name.startswith("filter.")})
        if sum(map(len, keys)) > _MOST_FILTER_CHARS:
            raise UsageProblem("repository-unreadable", f"the git config of {self.root!r} names too many filters")
        numbered = {f"GIT_CONFIG_KEY_{number}": key for number, key in enumerate(keys)}
        emptied = {f"GIT_CONFIG_VALUE_{number}": "" for number in range(len(keys))}
        return {"GIT_CONFIG_COUNT": str(len(keys)), **numbered, **emptied}

    def _filtered(self, paths: Sequence[bytes]) -> frozenset[bytes]:
        """Those with a filter among their attributes; asking runs none."""
        told = self._names("check-attr", "-z", "--stdin", "filter", stdin=b"".join(path + b"\0" for path in paths))
        answers = zip(told[0::3], told[2::3], strict=True)
        return frozenset(path for path, value in answers if value not in (b"unspecified", b"unset"))

    def _objects(self, names: Sequence[str]) -> dict[str, str]:
        """Name -> id, of those that are here; one with a line end in it cannot be asked for."""
        names = [name for name in names if "\n" not in name and "\r" not in name]
        if not names:
            return {}
        told = _git(
            *(self.root, "cat-file", "--batch-check=%(objectname)"),
            stdin="".join(f"{name}\n" for name in names).encode(),
        )
        lines = told.stdout.decode("utf-8", "replace").split("\n")
        answers = zip(names, lines, strict=False)
        return {name: line for name, line in answers if re.fullmatch("[0-9a-f]{40}", line)}

    def _names(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> list[bytes]:
        asked = _git(self.root, *args, stdin=stdin, env=env)
        if asked.exit_code != 0:
            raise UsageProblem("repository-unreadable", f"git {args[0]} failed in {self.root!r}: {last_words(asked)}")
        return asked.stdout.split(b"\0")[:-1]

    def _line(self, *args: str) -> str:
        asked = _git(self.root, *args)
        return asked.stdout.decode("utf-8", "replace").strip() if asked.exit_code == 0 else ""


_GO_TO_A_REPOSITORY = "go to a folder inside a git working tree, or make one with `git init`; `reknit demo` needs none"


def _git(cwd: str, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Completed:
    places = {name: os.environ[name] for name in _FROM_THE_USER if name in os.environ}
    full = {**COMMON_ENVIRONMENT, **places, **(env or {})}
    return process.run([git_program(), *FLAGS, *args], env=full, cwd=cwd, stdin=stdin, timeout_s=120.0)


def _no_working_tree(path: str, words: str) -> UsageProblem:
    foreign = re.search(r"dubious ownership in repository at '(.*)'", words)
    if foreign:
        return UsageProblem(
            "repository-of-another-user",
            f"git does not trust the repository at {foreign[1]!r}, because another user owns it",
            help=f"if you trust it: git config --global --add safe.directory {shlex.quote(foreign[1])}",
        )
    if "not a git repository" in words:
        return UsageProblem("no-repository", f"{path!r} is not in a git repository", help=_GO_TO_A_REPOSITORY)
    return UsageProblem("no-repository", f"{path!r} is not in a working tree: {words}", help=_GO_TO_A_REPOSITORY)


def short_name(ref: str) -> str:
    """Of a branch, as people call it; one of a remote's may have the same as a local one."""
    return ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")


def _is_utf8(name: bytes) -> bool:
    return name.decode("utf-8", "ignore").encode() == name
