"""Reads a folder that an agent wrote, as plain data: nothing is followed or executed, and everything is bounded."""

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from reknit.adapters.files.regular_files import FILE_FLAGS, FOLDER_FLAGS, has_plain_file, is_empty_folder
from reknit.adapters.git.plumbing.objects import (
    ABSENT,
    CACHE_MARK,
    MAX_CHANGED_BYTES,
    MAX_CHANGED_PATHS,
    MAX_FILE_BYTES,
    NOT_UTF8,
    TOO_LARGE,
    TOO_MANY,
    TOO_MUCH,
    Tree,
    TreeEntry,
    is_git_name,
    is_git_settings_name,
    is_noise,
    is_utf8,
    parent_folders,
    to_printable,
)
from reknit.adapters.git.plumbing.write_commit import Edit, blob_id
from reknit.core.repository.change import EXECUTABLE, GITLINK, REGULAR, SYMLINK

MAX_ENTRIES = 1_000_000
MAX_FOLDERS_ASKED = 200
"""Maximum new folders that are checked against the ignore rules one by one, before they are read."""
MAX_DEPTH = 100


@dataclass(frozen=True)
class TreeDifference:
    """The changes of a folder since base, and the paths that reknit refuses to read."""

    edits: tuple[Edit, ...]
    unsafe: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...] = ()
    """New entries that the ignore rules exclude."""


class _BoundReachedError(Exception):
    """The folder contains more than reknit reads."""


def compare_folder(
    folder: str,
    base: Tree,
    *,
    skip: Sequence[str],
    size_of: Callable[[str], int],
    submodules: Mapping[bytes, Tree] | None = None,
    leaves_out: Callable[[Sequence[bytes]], Collection[bytes]] = lambda _: (),
    only: Collection[bytes] | None = None,
) -> TreeDifference:
    """Return everything that differs from base.

    `size_of`: returns the size of a blob in base; for large files only. `submodules`: path -> its files. A change
    to one of them is refused; new files beside them are ignored. `leaves_out`: returns those of the new paths that the
    commit's rules ignore; a folder ends in `/`. `only`: the paths that can differ, so no other is missing; None: any.
    """
    walk = _Walk(base, skip, size_of, submodules or {}, leaves_out)
    try:
        handle = os.open(folder, FOLDER_FLAGS)
    except PermissionError as problem:  # the agent removed our permission; it cannot cause another error
        return TreeDifference((), ((".", _explain_unreadable(problem)),))
    try:
        walk.read_folder(handle, b"", hidden=False, depth=0)
        walk.add_removals(walk.base if only is None else only)
        walk.drop_ignored()
    except _BoundReachedError as reached:
        walk.unsafe.append((".", str(reached)))
    finally:
        os.close(handle)
    return TreeDifference(tuple(walk.edits), tuple(walk.unsafe), tuple(walk.left_out))


class _Walk:
    def __init__(
        self,
        base: Tree,
        skip: Sequence[str],
        size_of: Callable[[str], int],
        submodules: Mapping[bytes, Tree],
        leaves_out: Callable[[Sequence[bytes]], Collection[bytes]],
    ) -> None:
        inner = {path + b"/" + below: entry for path, tree in submodules.items() for below, entry in tree.items()}
        self.base, self.size_of, self.submodules = {**base, **inner}, size_of, submodules
        self.base_folders = {parent for path in self.base for parent in parent_folders(path)}
        self.skip = {os.fsencode(path.rstrip("/")) for path in skip}
        self.leaves_out, self.asked = leaves_out, 0
        self.edits: list[Edit] = []
        self.unsafe: list[tuple[str, str]] = []
        self.left_out: list[str] = []
        self.present: set[bytes] = set()
        self.unread: set[bytes] = set()
        self.entries = self.bytes = 0

    def read_folder(self, handle: int, path: bytes, *, hidden: bool, depth: int) -> None:
        with os.scandir(handle) as listing:
            entries = []
            for entry in listing:
                entries.append(entry)
                self._count_entry()
        if self._is_new_bare_repository(path, [entry.name for entry in entries]):
            self._refuse(path or b".", "shaped like a bare git repository")
            if path:
                return
        for entry in sorted(entries, key=lambda entry: entry.name):
            inner = _join(path, os.fsencode(entry.name))
            try:
                self._read_entry(handle, entry, inner, hidden=hidden, depth=depth)
            except OSError as problem:
                self._refuse(inner, _explain_unreadable(problem))

    def _read_entry(self, handle: int, entry: os.DirEntry[str], path: bytes, *, hidden: bool, depth: int) -> None:
        tracked = path in self.base or path in self.base_folders
        hidden = hidden or path in self.skip or path in self.submodules
        facts = os.stat(entry.name, dir_fd=handle, follow_symlinks=False)
        is_folder = stat.S_ISDIR(facts.st_mode)
        if not tracked and (hidden or is_noise(path, is_folder=is_folder)):
            return
        if not tracked and is_folder and self._is_left_out(handle, entry.name, path):
            self.left_out.append(to_printable(path) + "/")
            return
        if self.base.get(path, ABSENT).mode == GITLINK and not self._is_submodule(handle, entry.name, path):
            return
        if is_git_name(_base_name(path)):
            # bwrap leaves an empty mount point where the box showed a read-only `.git`.
            if not (path == b".git" and is_folder and is_empty_folder(handle, entry.name)):
                self._refuse(path, "a nested git repository")
            return
        if is_folder:
            self._descend(handle, entry.name, path, hidden=hidden, depth=depth + 1)
        elif stat.S_ISLNK(facts.st_mode):
            self._read_link(path, os.fsencode(os.readlink(entry.name, dir_fd=handle)))
        elif stat.S_ISREG(facts.st_mode):
            self._read_regular(handle, entry.name, path)
        else:
            self._refuse(path, "a special file")

    def _is_left_out(self, handle: int, name: str, path: bytes) -> bool:
        """Return True if a new folder is skipped unread: build results can be larger than everything else."""
        if is_git_name(_base_name(path)):
            return False
        self.asked += 1
        if self.asked <= MAX_FOLDERS_ASKED and self.leaves_out([path + b"/"]):
            return True
        return has_plain_file(handle, name, CACHE_MARK)

    def drop_ignored(self) -> None:
        """Remove ignored files from the result: new ones, and unreadable ones."""
        new = {edit.path for edit in self.edits if edit.path not in self.base}
        unread = {path for path in self.unread if path not in self.base and path not in self.base_folders}
        ignored = set(self.leaves_out(sorted(new | unread)))
        names = {to_printable(path) for path in ignored}
        self.edits = [edit for edit in self.edits if edit.path not in ignored]
        self.unsafe = [(path, why) for path, why in self.unsafe if path not in names]
        self.left_out += sorted(names)

    def _is_submodule(self, handle: int, name: str, path: bytes) -> bool:
        """Return True if the folder of a submodule must be read. An empty one is no change; all else is refused."""
        is_folder = stat.S_ISDIR(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode)
        if is_folder and is_empty_folder(handle, name):
            self.unread.add(path)
            return False
        if not is_folder or path not in self.submodules:
            self._refuse(path, "in place of a submodule")
            return False
        return True

    def _descend(self, handle: int, name: str, path: bytes, *, hidden: bool, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._refuse(path, f"more than {MAX_DEPTH} folders deep")
            return
        inner = os.open(name, FOLDER_FLAGS, dir_fd=handle)
        try:
            self.read_folder(inner, path, hidden=hidden, depth=depth)
        finally:
            os.close(inner)

    def _read_link(self, path: bytes, target: bytes) -> None:
        if is_git_settings_name(_base_name(path)):
            self._refuse(path, "a link named like one of git's own settings files")
            return
        self._add_entry(path, TreeEntry(SYMLINK, blob_id(target)), target)

    def _read_regular(self, handle: int, name: str, path: bytes) -> None:
        file = os.open(name, FILE_FLAGS, dir_fd=handle)
        with os.fdopen(file, "rb") as stream:
            facts = os.fstat(file)
            if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
                self._refuse(path, "a hard link" if stat.S_ISREG(facts.st_mode) else "a special file")
                return
            mode = EXECUTABLE if facts.st_mode & 0o111 else REGULAR
            base_entry = self.base.get(path, ABSENT)
            if facts.st_size > MAX_FILE_BYTES:
                same_size = base_entry.mode == mode and self.size_of(base_entry.sha) == facts.st_size
                if not (
                    same_size and _hash_chunks(iter(lambda: stream.read(1 << 20), b""), facts.st_size) == base_entry.sha
                ):
                    self._refuse(path, TOO_LARGE)
                self.present.add(path)
                return
            content = stream.read(MAX_FILE_BYTES + 1)
        self._add_entry(path, TreeEntry(mode, blob_id(content)), content)

    def _add_entry(self, path: bytes, entry: TreeEntry, content: bytes) -> None:
        self.present.add(path)
        if self.base.get(path) == entry:
            return
        if not is_utf8(path):
            self._refuse(path, NOT_UTF8)
            return
        self.bytes += len(content)
        if self.bytes > MAX_CHANGED_BYTES:
            raise _BoundReachedError(TOO_MUCH)
        self._add_edit(Edit(path, entry, content))

    def add_removals(self, paths: Iterable[bytes]) -> None:
        for path in paths:
            if path in self.present or self.base.get(path, ABSENT).mode in (GITLINK, ABSENT.mode):
                continue
            if not self.unread.isdisjoint((path, *parent_folders(path))):
                continue  # it was not read, so it may still exist
            if not is_utf8(path):
                self._refuse(path, NOT_UTF8)
                continue
            self._add_edit(Edit(path, ABSENT))

    def _is_new_bare_repository(self, path: bytes, names: Iterable[str]) -> bool:
        """Return True if git would recognise the folder as a bare repository, which it was not at base."""
        if not {"head", "objects", "refs"} <= {name.casefold() for name in names}:
            return False
        inside = [_join(path, name) for name in (b"HEAD", b"objects", b"refs")]
        return not all(one in self.base or one in self.base_folders for one in inside)

    def _add_edit(self, edit: Edit) -> None:
        if not self.submodules.keys().isdisjoint(parent_folders(edit.path)):
            self._refuse(edit.path, "in a submodule, which is another repository")
            return
        self._count_change()
        self.edits.append(edit)

    def _refuse(self, path: bytes, why: str) -> None:
        self._count_change()
        self.unread.add(path)
        self.unsafe.append((to_printable(path), why))

    def _count_change(self) -> None:
        if len(self.edits) + len(self.unsafe) >= MAX_CHANGED_PATHS:
            raise _BoundReachedError(TOO_MANY)

    def _count_entry(self) -> None:
        self.entries += 1
        if self.entries > MAX_ENTRIES:
            raise _BoundReachedError(f"more than {MAX_ENTRIES:,} entries")


def _explain_unreadable(problem: OSError) -> str:
    return f"cannot be read: {problem.strerror}"


def _hash_chunks(chunks: Iterable[bytes], size: int) -> str:
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


def _join(folder: bytes, name: bytes) -> bytes:
    return folder + b"/" + name if folder else name


def _base_name(path: bytes) -> str:
    return to_printable(path.rpartition(b"/")[2])
