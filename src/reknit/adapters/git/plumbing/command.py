"""Runs git with a clean environment: no hook, driver or pager runs, and every call has a timeout."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.files.free_space import says_no_space
from reknit.adapters.process import Completed
from reknit.core.errors import DiskFull, InternalError, ToolMissing

IDENTITY = ("reknit", "reknit@localhost")
LONG_S = 600.0
"""For calls that copy a whole history or tree."""

_SETTINGS = (
    "core.hooksPath=/dev/null",
    # Since git 2.54 hooks can also be set in the config, where hooksPath does not apply.
    "hook.reference-transaction.enabled=false",
    "hook.post-index-change.enabled=false",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "diff.ignoreSubmodules=all",
    "submodule.recurse=false",
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "maintenance.auto=false",
)
_LASTING = re.compile(r"(?:refs/reknit/base/)?[0-9a-f]{40}")
"""A full id, or the ref that marks a commit as complete here: neither ever moves."""
FLAGS = ("--no-pager", *(word for setting in _SETTINGS for word in ("-c", setting)))

COMMON_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "GIT_ALLOW_PROTOCOL": "none",
}
_TRUSTED_ENVIRONMENT = {
    **COMMON_ENVIRONMENT,
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": IDENTITY[0],
    "GIT_AUTHOR_EMAIL": IDENTITY[1],
    "GIT_COMMITTER_NAME": IDENTITY[0],
    "GIT_COMMITTER_EMAIL": IDENTITY[1],
}


def git_program() -> str:
    found = process.find_program("git")
    if not found:
        raise ToolMissing("git-missing", "git is not on PATH", help="install git 2.39 or newer")
    return found


class UnknownRevision(InternalError):
    """The commit or tree is not in this gitdir."""


@dataclass(frozen=True)
class Git:
    """git on exactly this gitdir, whatever surrounds it."""

    gitdir: str

    def run(
        self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, timeout_s: float = 60.0
    ) -> Completed:
        program = git_program()
        path = f"{Path(program).parent}:/usr/bin:/bin"
        places = {"PATH": path, "GIT_DIR": self.gitdir, **(env or {})}
        cwd = places.get("GIT_WORK_TREE", self.gitdir)
        done = process.run(
            [program, *FLAGS, *args], env=_TRUSTED_ENVIRONMENT | places, cwd=cwd, stdin=stdin, timeout_s=timeout_s
        )
        if done.exit_code != 0 and says_no_space(done.stderr):
            raise DiskFull(cwd)
        return done

    def out(
        self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, timeout_s: float = 60.0
    ) -> bytes:
        """The output of a command that has no reason to fail."""
        done = self.run(*args, stdin=stdin, env=env, timeout_s=timeout_s)
        if done.exit_code != 0:
            raise InternalError("git-failed", f"git {args[0]} failed in {self.gitdir!r}: {last_words(done)}")
        return done.stdout

    def line(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        return self.out(*args, stdin=stdin, env=env).decode().strip()

    def object_id(self, rev: str, kind: str) -> str:
        """The id of the object of that `kind` (commit, tree) that `rev` names, or "". Only for gitdirs of ours."""
        try:
            return self.known(rev, kind)
        except UnknownRevision:
            return ""

    def known(self, rev: str, kind: str) -> str:
        return _lasting_id(self, rev, kind) if _LASTING.fullmatch(rev) else _id_now(self, rev, kind)


def _id_now(git: Git, rev: str, kind: str) -> str:
    asked = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{{kind}}}")
    if asked.exit_code != 0:
        raise UnknownRevision("unknown-revision", f"{rev!r} names no {kind} in {git.gitdir!r}")
    return asked.stdout.decode().strip()


@lru_cache(maxsize=10_000)
def _lasting_id(git: Git, rev: str, kind: str) -> str:
    """Cached for objects that are here: nothing is ever garbage-collected from a gitdir of ours."""
    return _id_now(git, rev, kind)


def forget_ids() -> None:
    """For a gitdir that is created where another one was."""
    _lasting_id.cache_clear()


def last_words(done: Completed) -> str:
    return done.stderr.decode("utf-8", "replace").strip()[-2000:] or f"exit code {done.exit_code}"
