"""Copies a commit from the user's repository into reknit's own: reads only its objects and runs no git in it."""

import re
from collections.abc import Sequence
from pathlib import Path

from reknit.adapters.files.regular_files import read_plain_text
from reknit.adapters.git.plumbing.command import LONG_S, Git, last_words
from reknit.adapters.git.plumbing.trusted_gitdir import locked, replace_file
from reknit.adapters.git.plumbing.user_gitdir import common_gitdir
from reknit.adapters.process import Completed
from reknit.core.errors import InternalError, UsageProblem

BASES = "refs/reknit/base/"
FETCHED = "refs/reknit/fetched/"
"""Commits fetched from a forge."""


def bring(git: Git, repository: str, commit: str) -> None:
    if not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise InternalError("not-a-commit-id", f"{commit!r} is not a full commit id")
    with locked(Path(git.gitdir)):
        if git.object_id(BASES + commit, "commit"):
            return  # the ref is written last, so the commit is complete
        cuts = _copy(git, common_gitdir(repository), commit)
        _remember_cuts(git, cuts)
        _show(git, commit)
        git.out("update-ref", BASES + commit, commit)


def show(git: Git, commit: str) -> None:
    with locked(Path(git.gitdir)):
        _show(git, git.known(commit, "commit"))


def _show(git: Git, commit: str) -> None:
    """A box shows this gitdir as `.git`: its HEAD and index make log, status and diff work for an agent."""
    git.out("update-ref", "--no-deref", "HEAD", commit)
    git.out("read-tree", commit)


def known_bases(git: Git, *, below: str = "") -> list[str]:
    """Commits that are here in full, newest first; `below`: only those in that commit's history."""
    only = [f"--merged={below}"] if below else []
    return git.line("for-each-ref", "--sort=-committerdate", "--format=%(objectname)", *only, BASES, FETCHED).split()


def _copy(git: Git, source: Path, commit: str) -> list[str]:
    """Returns the commits at which the copied history ends early."""
    shallow = source / "shallow"
    cuts = read_plain_text(shallow).split() if shallow.is_file() else []
    copied = _pack(git, source, commit, cuts)
    if copied.exit_code == 0:
        return cuts
    # A partial clone lacks old file contents. To repair the commit, its own tree is enough.
    alone = _pack(git, source, commit, [commit])
    if alone.exit_code != 0:
        raise UsageProblem(
            "incomplete-repository",
            f"commit {commit[:12]} cannot be read from {str(source)!r}: {last_words(alone)}",
            help="run `git fsck`; in a partial clone, check the commit out once so that its files are local",
        )
    return [commit]


def _pack(git: Git, source: Path, commit: str, cuts: Sequence[str]) -> Completed:
    lines = [*(f"--shallow {cut}" for cut in cuts), commit, *(f"^{base}" for base in known_bases(git))]
    return git.run(
        # A commit graph would show the parents that the cuts hide.
        "-c", "core.commitGraph=false", "pack-objects", "--revs", "--non-empty", "--quiet", "--delta-base-offset",
        f"{git.gitdir}/objects/pack/pack",
        stdin="".join(f"{line}\n" for line in lines).encode(),
        env={"GIT_ALTERNATE_OBJECT_DIRECTORIES": quoted(str(source / "objects"))},
        timeout_s=LONG_S,
    )  # fmt: skip


def quoted(path: str) -> str:
    """Quoted for git's list of folders, where a bare colon is a separator."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _remember_cuts(git: Git, cuts: Sequence[str]) -> None:
    kept = Path(git.gitdir, "shallow")
    former = set(kept.read_text().split()) if kept.is_file() else set()
    asked = "".join(f"{cut}\n" for cut in cuts).encode()
    listing = git.out("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked).decode().splitlines()
    here = {line.split(" ")[0] for line in listing if line.endswith(" commit")}
    if not here <= former:
        replace_file(kept, "".join(f"{cut}\n" for cut in sorted(former | here)))
