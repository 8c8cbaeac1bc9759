"""Submodules: their files as of the recorded commit, copied as objects from the user's checkout; no git runs there."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.git.local_import import quoted
from reknit.adapters.git.plumbing.command import LONG_S, Git
from reknit.adapters.git.plumbing.objects import Tree, TreeEntry, read_tree
from reknit.adapters.git.plumbing.trusted_gitdir import locked
from reknit.adapters.git.plumbing.user_gitdir import common_gitdir
from reknit.core.errors import UsageProblem
from reknit.core.repository.change import GITLINK

TREES = "refs/reknit/submodules/"
"""Followed by the id of a submodule's commit: the tree of that commit, complete here."""
_MOST = 1_000


def bring(git: Git, repository: str, rev: str) -> None:
    """Copy the trees of the submodules that are checked out in the user's repository. Idempotent."""
    waiting = list(_links(read_tree(git, rev)))
    for path, commit in waiting:  # it grows
        if not git.object_id(TREES + commit, "tree"):
            _copy(git, repository, path, commit)
        inner = git.object_id(TREES + commit, "tree")
        if inner and len(waiting) < _MOST:
            waiting += [(path + b"/" + below, link) for below, link in _links(read_tree(git, inner))]


def trees(git: Git, tree: Tree) -> dict[bytes, Tree]:
    """Path of a submodule -> its files, for those that are here; the outer ones first."""
    found: dict[bytes, Tree] = {}
    waiting = list(_links(tree))
    for path, commit in waiting:
        known = git.object_id(TREES + commit, "tree")
        if known and len(found) < _MOST:
            found[path] = read_tree(git, known)
            waiting += [(path + b"/" + below, link) for below, link in _links(found[path])]
    return found


def write(git: Git, rev: str, folder: str) -> None:
    """Into a tree that was just written, where every submodule is an empty folder."""
    tree = read_tree(git, rev)
    links = dict(_links(tree))
    for path, inner in trees(git, tree).items():
        links |= {path + b"/" + below: commit for below, commit in _links(inner)}
        place = os.fsdecode(os.path.join(os.fsencode(folder), path))  # noqa: PTH118 - a name need not be text
        with temporary_folder("index-", git.gitdir) as private:
            places = {"GIT_INDEX_FILE": str(Path(private, "index")), "GIT_WORK_TREE": str(Path(place).resolve())}
            git.out("read-tree", git.known(TREES + links[path], "tree"), env=places)
            git.out("checkout-index", "--all", "--force", "--quiet", env=places, timeout_s=LONG_S)


def absent(repository: str, commit: str) -> tuple[str, ...]:
    """Paths of the submodules, at this commit of the user, whose files are not on this machine."""
    found = []
    waiting = [(Git(str(common_gitdir(repository))), commit, b"")]
    for git, rev, below in waiting:
        for path, wanted in _links(read_tree(git, rev)):
            full = below + path
            gitdir = _gitdir(repository, full)
            inner = Git(str(gitdir)) if gitdir else None
            if inner is None or not inner.object_id(wanted, "tree"):
                found.append(full.decode("utf-8", "replace"))
            elif len(waiting) < _MOST:
                waiting.append((inner, wanted, full + b"/"))
    return tuple(found)


def _links(tree: Mapping[bytes, TreeEntry]) -> Iterator[tuple[bytes, str]]:
    return ((path, entry.sha) for path, entry in tree.items() if entry.mode == GITLINK)


def _copy(git: Git, repository: str, path: bytes, commit: str) -> None:
    source = _gitdir(repository, path)
    if source is None:
        return
    borrowed = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": quoted(str(source / "objects"))}
    with locked(Path(git.gitdir)):
        asked = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}", env=borrowed)
        tree = asked.stdout.decode().strip()
        if asked.exit_code != 0:
            return
        packed = git.run(
            "pack-objects", "--revs", "--non-empty", "--quiet", f"{git.gitdir}/objects/pack/pack",
            stdin=f"{tree}\n".encode(), env=borrowed, timeout_s=LONG_S,
        )  # fmt: skip
        if packed.exit_code == 0:
            git.out("update-ref", "--no-deref", TREES + commit, tree)


def _gitdir(repository: str, path: bytes) -> Path | None:
    """Where the checked-out submodule keeps its objects. Only in the repository: nothing else is its submodule."""
    place = Path(repository, os.fsdecode(path))
    if place.resolve() != Path(repository).resolve() / os.fsdecode(path):
        return None
    try:
        found, top = common_gitdir(str(place)), common_gitdir(repository)
    except (OSError, UsageProblem, UnicodeDecodeError):
        return None
    return found if found.is_relative_to(top) or found.is_relative_to(place.resolve()) else None
