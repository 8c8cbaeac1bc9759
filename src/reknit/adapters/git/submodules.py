"""Copies submodules at their recorded commits, as objects from the user's checkout; no git runs there."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.git.local_import import common_gitdir, quote_path
from reknit.adapters.git.plumbing.command import LONG_S, Git
from reknit.adapters.git.plumbing.objects import Tree, TreeEntry, read_tree
from reknit.adapters.git.plumbing.write_commit import lock_folder
from reknit.core.errors import UsageError
from reknit.core.repository.change import GITLINK

TREES = "refs/reknit/submodules/"
"""Prefix of refs to complete trees; the id of a submodule's commit follows."""
_MAX_SUBMODULES = 1_000
"""Number of submodules beyond which no further nested ones are read."""


def copy_submodules(git: Git, repository: str, rev: str) -> None:
    """Copy the trees of the submodules that are checked out in the user's repository. Idempotent."""
    waiting = list(_list_links(read_tree(git, rev)))
    for path, commit in waiting:  # grows by nested submodules
        if not git.object_id(TREES + commit, "tree"):
            _copy(git, repository, path, commit)
        inner = git.object_id(TREES + commit, "tree")
        if inner and len(waiting) < _MAX_SUBMODULES:
            waiting += [(path + b"/" + below, link) for below, link in _list_links(read_tree(git, inner))]


def read_trees(git: Git, tree: Tree) -> dict[bytes, Tree]:
    """Return path of a submodule -> its files, for those that this gitdir has; outer ones first."""
    files: dict[bytes, Tree] = {}
    waiting = list(_list_links(tree))
    for path, commit in waiting:
        tree_id = git.object_id(TREES + commit, "tree")
        if tree_id and len(files) < _MAX_SUBMODULES:
            files[path] = read_tree(git, tree_id)
            waiting += [(path + b"/" + below, link) for below, link in _list_links(files[path])]
    return files


def write_submodules(git: Git, rev: str, folder: str) -> None:
    """Write the files into a tree that was just written, where every submodule is an empty folder."""
    tree = read_tree(git, rev)
    links = dict(_list_links(tree))
    for path, inner in read_trees(git, tree).items():
        links |= {path + b"/" + below: commit for below, commit in _list_links(inner)}
        place = os.fsdecode(os.path.join(os.fsencode(folder), path))  # noqa: PTH118 - a name need not be text
        with temporary_folder("index-", git.gitdir) as private:
            places = {"GIT_INDEX_FILE": str(Path(private, "index")), "GIT_WORK_TREE": str(Path(place).resolve())}
            git.out("read-tree", git.resolve_id(TREES + links[path], "tree"), env=places)
            git.out("checkout-index", "--all", "--force", "--quiet", env=places, timeout_s=LONG_S)


def list_absent(repository: str, commit: str) -> tuple[str, ...]:
    """List the submodules of this commit whose files are not on this machine."""
    missing = []
    waiting = [(Git(str(common_gitdir(repository))), commit, b"")]
    for git, rev, below in waiting:
        for path, link in _list_links(read_tree(git, rev)):
            full = below + path
            gitdir = _find_gitdir(repository, full)
            inner = Git(str(gitdir)) if gitdir else None
            if inner is None or not inner.object_id(link, "tree"):
                missing.append(full.decode("utf-8", "replace"))
            elif len(waiting) < _MAX_SUBMODULES:
                waiting.append((inner, link, full + b"/"))
    return tuple(missing)


def _list_links(tree: Mapping[bytes, TreeEntry]) -> Iterator[tuple[bytes, str]]:
    return ((path, entry.sha) for path, entry in tree.items() if entry.mode == GITLINK)


def _copy(git: Git, repository: str, path: bytes, commit: str) -> None:
    source = _find_gitdir(repository, path)
    if source is None:
        return
    borrowed = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": quote_path(str(source / "objects"))}
    with lock_folder(Path(git.gitdir)):
        completed = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}", env=borrowed)
        tree = completed.stdout.decode().strip()
        if completed.exit_code != 0:
            return
        packed = git.run(
            "pack-objects", "--revs", "--non-empty", "--quiet", f"{git.gitdir}/objects/pack/pack",
            stdin=f"{tree}\n".encode(), env=borrowed, timeout_s=LONG_S,
        )  # fmt: skip
        if packed.exit_code == 0:
            git.out("update-ref", "--no-deref", TREES + commit, tree)


def _find_gitdir(repository: str, path: bytes) -> Path | None:
    """Return where the checked-out submodule keeps its objects. A place outside the repository does not count."""
    place = Path(repository, os.fsdecode(path))
    if place.resolve() != Path(repository).resolve() / os.fsdecode(path):
        return None
    try:
        gitdir, top = common_gitdir(str(place)), common_gitdir(repository)
    except (OSError, UsageError, UnicodeDecodeError):
        return None
    return gitdir if gitdir.is_relative_to(top) or gitdir.is_relative_to(place.resolve()) else None
