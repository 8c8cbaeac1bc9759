"""Writes what is staged below a folder, as it is stored: no filter runs and no line ends are converted."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from reknit.adapters.git.plumbing.command import last_words
from reknit.adapters.git.user_repository import UserRepository, git_as_user
from reknit.core.errors import UsageProblem

_AT_ONCE = 500
"""Files that are in memory at the same time."""
_LINK, _PROGRAM, _FILES = b"120000", b"100755", (b"100644", b"100755", b"120000")


def write_staged(repository: UserRepository, paths: Sequence[str], folder: str) -> None:
    """Those of the paths that the index has; a submodule is left out. No other path may be below the folder."""
    entries = list(_entries(repository, frozenset(map(os.fsencode, paths))))
    for start in range(0, len(entries), _AT_ONCE):
        some = entries[start : start + _AT_ONCE]
        contents = _contents(repository, [blob for _, blob, _ in some])
        for (mode, _, path), content in zip(some, contents, strict=True):
            _write(Path(folder, os.fsdecode(path)), mode, content)


def _entries(repository: UserRepository, wanted: frozenset[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    """(mode, blob, path)"""
    for entry in _output(repository, "ls-files", "--cached", "--stage", "-z").split(b"\0")[:-1]:
        facts, _, path = entry.partition(b"\t")
        mode, blob, stage = facts.split(b" ")
        if path not in wanted or mode not in _FILES:
            continue
        if stage != b"0":
            what = f"{os.fsdecode(path)!r} has a merge conflict"
            raise UsageProblem("unmerged", what, help="resolve it, then `git add` it")
        yield mode, blob, path


def _contents(repository: UserRepository, blobs: Sequence[bytes]) -> Iterator[bytes]:
    output = _output(repository, "cat-file", "--batch", stdin=b"".join(blob + b"\n" for blob in blobs))
    start = 0
    for blob in blobs:
        end = output.index(b"\n", start)
        if output[start:end].endswith(b" missing"):
            raise UsageProblem("repository-unreadable", f"{repository.root!r} lacks the staged {blob.decode()}")
        size = int(output[start:end].rpartition(b" ")[2])
        yield output[end + 1 : end + 1 + size]
        start = end + 1 + size + 1


def _write(path: Path, mode: bytes, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode == _LINK:
        path.symlink_to(os.fsdecode(content))
        return
    path.write_bytes(content)
    if mode == _PROGRAM:
        path.chmod(0o755)


def _output(repository: UserRepository, *args: str, stdin: bytes = b"") -> bytes:
    asked = git_as_user(repository.root, *args, stdin=stdin)
    if asked.exit_code != 0:
        what = f"git {args[0]} failed in {repository.root!r}: {last_words(asked)}"
        raise UsageProblem("repository-unreadable", what)
    return asked.stdout
