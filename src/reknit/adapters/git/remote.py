"""Fetches commits from a forge, and pushes one to a branch there only if the branch has not moved."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from reknit.adapters.git.local_import import BASES, FETCHED
from reknit.adapters.git.plumbing.command import Git
from reknit.adapters.git.plumbing.history import is_ancestor
from reknit.adapters.git.plumbing.http_transport import GitOverHttp
from reknit.adapters.git.plumbing.trusted_gitdir import locked
from reknit.adapters.process import Completed
from reknit.core.errors import InternalError
from reknit.core.forge.values import ForgeError, ForgeFailure, PushAnswer, Remote

_REJECTED = re.compile(r"^!\t[^\t\n]*\t\[rejected\]", re.MULTILINE)
_BARRED = re.compile(r"^!\t[^\t\n]*\t\[remote rejected\]|GH\d{3}:|protected branch|hook declined", re.MULTILINE)
_PASSING = re.compile(
    r"^[^(\n]*+\(.*(internal server error|failed to update ref|cannot lock ref|unpacker error)",
    re.IGNORECASE | re.MULTILINE,
)
"""Rejections that are not a rule of the repository: a retry may succeed."""


def fetch_from(git: Git, remote: Remote, refs: Sequence[str]) -> dict[str, str]:
    far = GitOverHttp(git, remote)
    tips = far.tips(*refs)
    with locked(Path(git.gitdir)):
        wanted = _missing(git, tips.values())
        # By commit, not by name: it does not matter if a branch moves meanwhile.
        specs = [f"{sha}:{FETCHED}{sha}" for sha in wanted]
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
        fetched = far.run("fetch", *options, remote.url, *specs) if specs else None
        if fetched and fetched.exit_code != 0 and _missing(git, wanted):
            raise ForgeError(far.failure(fetched))
    return {ref: git.known(sha, "commit") for ref, sha in tips.items()}


def push_to(git: Git, remote: Remote, commit: str, branch: str, *, expect: str) -> PushAnswer:
    if not re.fullmatch(r"[0-9a-f]{40}", expect):
        raise InternalError("not-a-commit-id", f"{expect!r} is not a full commit id")
    far, commit, ref = GitOverHttp(git, remote), git.known(commit, "commit"), f"refs/heads/{branch}"
    there = _look(far, ref, commit, expect=expect)
    if there is not None:
        return there
    if not is_ancestor(git, expect, commit):
        raise InternalError("would-overwrite", f"{commit[:12]} is not based on {expect[:12]}: it is never pushed")
    pushed = far.run(
        "push", "--porcelain", "--no-verify", "--no-recurse-submodules", "--no-follow-tags", "--no-signed",
        f"--force-with-lease={ref}:{expect}", remote.url, f"{commit}:{ref}",
    )  # fmt: skip
    if pushed.exit_code == 0:
        return PushAnswer("done")
    # The answer can get lost, and a rejection can mean that another push was faster.
    return _look(far, ref, commit, expect=expect) or _refused(far, pushed)


def _look(far: GitOverHttp, ref: str, commit: str, *, expect: str) -> PushAnswer | None:
    """None: the branch is where it is expected to be."""
    try:
        now = far.tips(ref).get(ref, "")
    except ForgeError as hindered:
        return _hindered(hindered.failure)
    if now == commit:
        return PushAnswer("done")
    return None if now == expect else PushAnswer("moved", f"{ref} is at {now[:12] or 'nothing'}")


def _refused(far: GitOverHttp, pushed: Completed) -> PushAnswer:
    output = pushed.stdout.decode("utf-8", "replace")
    if _REJECTED.search(output):
        return PushAnswer("moved", "the branch moved and came back during the push")
    text = output + pushed.stderr.decode("utf-8", "replace")
    if _PASSING.search(output):
        return PushAnswer("unreachable", far.sentence(pushed))
    if _BARRED.search(text):
        return PushAnswer("barred", far.sentence(pushed))
    return _hindered(far.failure(pushed))


def _hindered(failure: ForgeFailure) -> PushAnswer:
    return PushAnswer("unreachable" if failure.kind == "limited" else failure.kind, failure.detail)


def _missing(git: Git, commits: Iterable[str]) -> list[str]:
    """Those not yet known to be here with their full history."""
    return [
        sha for sha in sorted(set(commits)) if not any(git.object_id(kept + sha, "commit") for kept in (FETCHED, BASES))
    ]
