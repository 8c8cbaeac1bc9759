"""reknit's own bare gitdir: created completely or not at all, and locked while objects are imported."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from reknit.adapters.files.folders import discard
from reknit.adapters.git.plumbing.command import Git, forget_ids

ATTRIBUTES = "* !filter !diff !merge !ident !working-tree-encoding -text\n"
"""This file overrides all other attributes. Not `-diff`: that marks every file binary and empties the diffs."""


def make_gitdir(gitdir: Path) -> None:
    """Idempotent; if it is killed, it leaves nothing that looks finished."""
    gitdir.parent.mkdir(parents=True, exist_ok=True)
    with locked(gitdir.parent):
        if not gitdir.exists():
            _create(gitdir)
    attributes = gitdir / "info" / "attributes"
    if attributes.read_text() != ATTRIBUTES:
        replace_file(attributes, ATTRIBUTES)


def _create(gitdir: Path) -> None:
    unfinished = gitdir.with_name(f".{gitdir.name}.unfinished")
    discard(unfinished)
    unfinished.mkdir(mode=0o700)
    Git(str(unfinished)).out(
        "init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=main"
    )
    (unfinished / "info").mkdir(exist_ok=True)
    (unfinished / "info" / "attributes").write_text(ATTRIBUTES)
    forget_ids()
    unfinished.rename(gitdir)


def replace_file(path: Path, text: str) -> None:
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(text)
    fresh.replace(path)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time; the kernel drops the lock of a dead one."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
