"""Copies a commit from the user's repository into a trusted gitdir. Only objects are read; no git runs there."""

import re
from collections.abc import Sequence
from pathlib import Path

from reknit.adapters.files.regular_files import read_plain_text
from reknit.adapters.git.plumbing.command import LONG_S, Git, last_words
from reknit.adapters.git.plumbing.write_commit import lock_folder, replace_file
from reknit.adapters.process import Completed
from reknit.core.errors import InternalError, UsageError


def common_gitdir(repository: str) -> Path:
    """Return the gitdir that all worktrees of this repository share."""
    marker = Path(repository, ".git")
    gitdir = marker if marker.is_dir() else _follow_pointer(marker)
    link = gitdir / "commondir"
    common = gitdir / read_plain_text(link).strip() if link.is_file() else gitdir
    if not (common / "objects").is_dir():
        raise UsageError("no-repository", f"{repository!r} is not the top of a git working tree")
    return common.resolve()


def _follow_pointer(marker: Path) -> Path:
    text = read_plain_text(marker) if marker.is_file() else ""
    if not text.startswith("gitdir:"):
        raise UsageError("no-repository", f"{str(marker.parent)!r} is not the top of a git working tree")
    return marker.parent / text.removeprefix("gitdir:").strip()


BASES = "refs/reknit/base/"
FETCHED = "refs/reknit/fetched/"
"""Refs of commits fetched from a forge."""


def import_commit(git: Git, repository: str, commit: str) -> None:
    """Copy a commit and its history. Idempotent."""
    if not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise InternalError("not-a-commit-id", f"{commit!r} is not a full commit id")
    with lock_folder(Path(git.gitdir)):
        if git.object_id(BASES + commit, "commit"):
            return  # the ref is written last, so the commit is complete
        cuts = _copy(git, common_gitdir(repository), commit)
        _remember_cuts(git, cuts)
        _show(git, commit)
        git.out("update-ref", BASES + commit, commit)


def show(git: Git, commit: str) -> None:
    """Make this commit the HEAD that a box sees."""
    with lock_folder(Path(git.gitdir)):
        _show(git, git.resolve_id(commit, "commit"))


def _show(git: Git, commit: str) -> None:
    """Set HEAD and index: a box shows this gitdir as `.git`, and log, status and diff must work for an agent."""
    git.out("update-ref", "--no-deref", "HEAD", commit)
    git.out("read-tree", commit)


def known_bases(git: Git, *, below: str = "") -> list[str]:
    """List commits that are here in full, newest first; `below`: only those in that commit's history."""
    only = [f"--merged={below}"] if below else []
    return git.line("for-each-ref", "--sort=-committerdate", "--format=%(objectname)", *only, BASES, FETCHED).split()


def _copy(git: Git, source: Path, commit: str) -> list[str]:
    """Copy the objects, and return the commits at which the copied history ends early."""
    shallow = source / "shallow"
    cuts = read_plain_text(shallow).split() if shallow.is_file() else []
    copied = _pack(git, source, commit, cuts)
    if copied.exit_code == 0:
        return cuts
    # A partial clone lacks old file contents. The tree of the commit alone is enough for a repair.
    alone = _pack(git, source, commit, [commit])
    if alone.exit_code != 0:
        raise UsageError(
            "incomplete-repository",
            f"commit {commit[:12]} cannot be read from {str(source)!r}: {last_words(alone)}",
            help="run `git fsck`; in a partial clone, check the commit out once so that its files are local",
        )
    return [commit]


def _pack(git: Git, source: Path, commit: str, cuts: Sequence[str]) -> Completed:
    lines = [*(f"--shallow {cut}" for cut in cuts), commit, *(f"^{base}" for base in known_bases(git))]
    return git.run(
        # Without this setting, a commit graph would reveal parents beyond the cuts.
        "-c", "core.commitGraph=false", "pack-objects", "--revs", "--non-empty", "--quiet", "--delta-base-offset",
        f"{git.gitdir}/objects/pack/pack",
        stdin="".join(f"{line}\n" for line in lines).encode(),
        env={"GIT_ALTERNATE_OBJECT_DIRECTORIES": quote_path(str(source / "objects"))},
        timeout_s=LONG_S,
    )  # fmt: skip


def quote_path(path: str) -> str:
    """Quote a path for git's list of folders, where a bare colon is a separator."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _remember_cuts(git: Git, cuts: Sequence[str]) -> None:
    shallow_file = Path(git.gitdir, "shallow")
    former = set(shallow_file.read_text().split()) if shallow_file.is_file() else set()
    ids = "".join(f"{cut}\n" for cut in cuts).encode()
    listing = git.out("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=ids).decode().splitlines()
    here = {line.split(" ")[0] for line in listing if line.endswith(" commit")}
    if not here <= former:
        replace_file(shallow_file, "".join(f"{cut}\n" for cut in sorted(former | here)))
