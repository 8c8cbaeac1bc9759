"""Creates the trusted gitdir, and writes commits in it without a working tree, so that only named paths change."""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.files.folders import discard, temporary_folder
from reknit.adapters.git.plumbing.command import Git, forget_ids
from reknit.adapters.git.plumbing.objects import ABSENT, TreeEntry, differences, is_git_name
from reknit.core.errors import InternalError
from reknit.core.repository.change import EXECUTABLE, GITLINK, REGULAR, Change, FileChange


@dataclass(frozen=True)
class Edit:
    """The new state of one path in a commit."""

    path: bytes
    entry: TreeEntry
    """New entry; `ABSENT` removes the path."""
    content: bytes = b""


def blob_id(content: bytes) -> str:
    """Return git's id of a file with this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def write_commit(git: Git, base: str, edits: Sequence[Edit], message: str, *, at: float) -> str:
    """Write a commit. The same input gives the same commit id."""
    _write_blobs(git, edits)
    removed = [edit for edit in edits if edit.entry == ABSENT]
    additions = [edit for edit in edits if edit.entry != ABSENT]
    # Removals first: a file that became a folder must be gone before the paths below it are added.
    lines = b"".join(b"%06o %s\t%s\0" % (e.entry.mode, e.entry.sha.encode(), e.path) for e in [*removed, *additions])
    with temporary_folder("index-", git.gitdir) as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        git.out("read-tree", git.resolve_id(base, "tree"), env=index)
        git.out("update-index", "-z", "--index-info", stdin=lines, env=index)
        tree = git.line("write-tree", env=index)
    return commit_tree(git, tree, base, message.encode("utf-8", "replace"), at=at)


def commit_tree(git: Git, tree: str, parent: str, message: bytes, *, at: float) -> str:
    """Commit a tree on top of one parent."""
    when = f"@{int(at)} +0000"
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    return git.line("commit-tree", tree, "-p", git.resolve_id(parent, "commit"), stdin=message, env=dates)


def _write_blobs(git: Git, edits: Sequence[Edit]) -> None:
    blobs = [edit.content for edit in edits if edit.entry != ABSENT]
    stream = b"".join(b"blob\ndata %d\n%s\n" % (len(content), content) for content in blobs)
    git.out("fast-import", "--quiet", stdin=stream, timeout_s=300.0)


def commit_change(git: Git, base: str, change: Change, message: str, *, at: float) -> str:
    """Commit exactly this change, or raise. The gate has already judged it; this checks again."""
    if change.unsafe or not change.files:
        raise InternalError("not-committable", f"a change with {change.unsafe or 'no files'} is never committed")
    edits = [_make_edit(file) for file in change.files]
    commit = write_commit(git, base, edits, message, at=at)
    actual = {(one.path, one.before, one.after) for one in differences(git, base, commit)}
    expected = {(e.path, _entry_before(file), e.entry) for e, file in zip(edits, change.files, strict=True)}
    if actual != expected:
        paths = sorted({path.decode("utf-8", "replace") for path, _, _ in actual ^ expected})
        raise InternalError("commit-differs", f"the commit differs from the change, see {paths[:10]}")
    return commit


def commit_texts(git: Git, base: str, files: Mapping[str, str | None], *, at: float) -> str:
    """Commit these texts to run tests on them. None removes the file."""
    edits = []
    for path, text in files.items():
        content = text.encode("utf-8", "surrogateescape") if text is not None else None
        edits.append(_make_edit(FileChange(path, None, content, mode_after=REGULAR)))
    return write_commit(git, base, edits, "for a run of tests\n", at=at)


def _entry_before(file: FileChange) -> TreeEntry:
    return ABSENT if file.before is None else TreeEntry(file.mode_before, blob_id(file.before))


def _make_edit(file: FileChange) -> Edit:
    parts = file.path.split("/")
    if any(part in ("", ".", "..") or is_git_name(part) for part in parts) or "\0" in file.path:
        raise InternalError("unsafe-path", f"{file.path!r} is not a path that reknit commits")
    path = file.path.encode()
    if file.mode_before == GITLINK:
        raise InternalError("unsafe-path", f"{file.path!r} is a submodule")
    if file.after is None:
        return Edit(path, ABSENT)
    if file.mode_after not in (REGULAR, EXECUTABLE):
        raise InternalError("unsafe-path", f"{file.path!r} has mode {file.mode_after:o}, which reknit never commits")
    return Edit(path, TreeEntry(file.mode_after, blob_id(file.after)), file.after)


ATTRIBUTES = "* !filter !diff !merge !ident !working-tree-encoding -text\n"
"""Attributes that override all others. `-diff` is not used, because it makes every file binary and diffs empty."""


def make_gitdir(gitdir: Path) -> None:
    """Create a gitdir. Idempotent; a killed process leaves no gitdir that looks complete."""
    gitdir.parent.mkdir(parents=True, exist_ok=True)
    with lock_folder(gitdir.parent):
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
    """Replace a file by a rename."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(text)
    fresh.replace(path)


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock the folder for this process; the kernel releases the lock when the process dies."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
