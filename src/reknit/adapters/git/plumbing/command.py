"""Runs git with a clean environment: no hook, driver or pager runs, and every call has a timeout."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.files.folders import says_no_space
from reknit.adapters.process import Completed
from reknit.core.errors import DiskFullError, InternalError, ToolMissingError

IDENTITY = ("reknit", "reknit@localhost")
LONG_S = 600.0
"""Timeout in seconds for calls that copy a whole history or tree."""

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
    "checkout.workers=8",  # a new file is more waiting than work, also on few cores
)
_LASTING = re.compile(r"(?:refs/reknit/base/)?[0-9a-f]{40}")
"""Matches names that always mean the same object: a full id, or the ref of a base commit."""
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
    """Return the path of git."""
    program = process.find_program("git")
    if not program:
        raise ToolMissingError("git-missing", "git is not on PATH", help="install git 2.39 or newer")
    return program


class UnknownRevisionError(InternalError):
    """The commit or tree is not in this gitdir."""


@dataclass(frozen=True)
class Git:
    """Runs git on exactly this gitdir: no variable or parent folder can lead to another one."""

    gitdir: str

    def run(
        self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, timeout_s: float = 60.0
    ) -> Completed:
        program = git_program()
        path = f"{Path(program).parent}:/usr/bin:/bin"
        places = {"PATH": path, "GIT_DIR": self.gitdir, **(env or {})}
        cwd = places.get("GIT_WORK_TREE", self.gitdir)
        completed = process.run(
            [program, *FLAGS, *args], env=_TRUSTED_ENVIRONMENT | places, cwd=cwd, stdin=stdin, timeout_s=timeout_s
        )
        if completed.exit_code != 0 and says_no_space(completed.stderr):
            raise DiskFullError(cwd)
        return completed

    def out(
        self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, timeout_s: float = 60.0
    ) -> bytes:
        """Run a command that should not fail, and return its output."""
        completed = self.run(*args, stdin=stdin, env=env, timeout_s=timeout_s)
        if completed.exit_code != 0:
            raise InternalError("git-failed", f"git {args[0]} failed in {self.gitdir!r}: {last_words(completed)}")
        return completed.stdout

    def line(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        return self.out(*args, stdin=stdin, env=env).decode().strip()

    def object_id(self, rev: str, kind: str) -> str:
        """Return the id of the commit or tree (`kind`) that `rev` names, or "". Only for our gitdirs."""
        try:
            return self.resolve_id(rev, kind)
        except UnknownRevisionError:
            return ""

    def resolve_id(self, rev: str, kind: str) -> str:
        return _read_lasting_id(self, rev, kind) if _LASTING.fullmatch(rev) else _read_id(self, rev, kind)


def _read_id(git: Git, rev: str, kind: str) -> str:
    completed = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{{kind}}}")
    if completed.exit_code != 0:
        raise UnknownRevisionError("unknown-revision", f"{rev!r} names no {kind} in {git.gitdir!r}")
    return completed.stdout.decode().strip()


@lru_cache(maxsize=10_000)
def _read_lasting_id(git: Git, rev: str, kind: str) -> str:
    """Return the id, from a cache if possible: objects never disappear from a gitdir of ours."""
    return _read_id(git, rev, kind)


def forget_ids() -> None:
    """Clear the cache, because a new gitdir may have the path of an old one."""
    _read_lasting_id.cache_clear()


def last_words(completed: Completed) -> str:
    """Return the end of a failed command's error output, or its exit code."""
    return completed.stderr.decode("utf-8", "replace").strip()[-2000:] or f"exit code {completed.exit_code}"
