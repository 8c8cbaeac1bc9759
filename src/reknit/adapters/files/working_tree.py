"""Changes one file of a user's working tree: completely or not at all, one writer at a time, never through a link.

The new content is written to a new file, and a rename puts it in place of the old one. The new file is in `.git`; if
that is not a folder on the same disk (a linked worktree), it is beside the old one, under a name that the next writer
removes.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator

from reknit.adapters.files.atomic_replace import Content, lock_folder, replace
from reknit.adapters.files.folders import NO_SPACE
from reknit.adapters.files.regular_files import FILE_FLAGS, FOLDER_FLAGS
from reknit.core.errors import DiskFullError, UnavailableError, UsageError
from reknit.core.review.progress_file.layout import explain_not_appendable, explain_refused_path

MAX_FILE_BYTES = 8_000_000
_TRIES = 5


def append_once(root: str, path: str, text: str) -> bool:
    """Append the text after an empty line. Return False if the file has these lines already. `path`: below the root."""

    def append_text(data: bytes) -> bytes:
        _refuse_other_text(path, data.decode("utf-8", "replace"))
        return data if _contains_block(data, text.encode()) else data + _separator(data) + text.encode()

    return _change_file(root, path, append_text)


def rewrite(root: str, path: str, change: Callable[[str], str]) -> bool:
    """Replace a file's text by the result of `change`, and create its folders."""

    def change_bytes(data: bytes) -> bytes:
        """Change the text. Bytes that are not UTF-8 pass through: the file may be a person's."""
        return change(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    return _change_file(root, path, change_bytes, creates_folders=True)


def _change_file(root: str, path: str, change: Callable[[bytes], bytes], *, creates_folders: bool = False) -> bool:
    opened = _open_parent(root, path, creates=creates_folders)
    with (
        _explain_errors(path),
        opened as folder,
        lock_folder(folder),
        _open_new_files_folder(root, folder) as new_files,
    ):
        name = path.rpartition("/")[2]
        for _ in range(_TRIES):
            old = _read(folder, name, path, os.O_RDWR)  # fails for a read-only file, which a rename would replace
            data = change(old.data)
            if data == old.data:
                return False
            if len(data) > MAX_FILE_BYTES:
                raise _too_large(path)
            if replace(folder, name, Content(data, old.facts), new_files):
                return True
    message = f"{path!r} is being changed by another program"
    raise UnavailableError("file-busy", message, help="close that program, then run the same command again")


def read_text(root: str, path: str) -> str:
    """Return the file's text; empty if there is no such file."""
    try:
        with _explain_errors(path), _open_parent(root, path) as folder:
            return _read(folder, path.rpartition("/")[2], path, os.O_RDONLY).data.decode("utf-8", "replace")
    except _NoFolderError:
        return ""


def refuse_unwritable(root: str, path: str) -> None:
    """Raise the error that a write would raise, before an agent is paid. Creates and changes nothing."""
    with _explain_errors(path), _open_parent(root, path) as folder:
        _read(folder, path.rpartition("/")[2], path, os.O_RDWR)


def refuse_unappendable(root: str, path: str) -> None:
    """Raise the error that `append_once` would raise, before an agent is paid."""
    refuse_unwritable(root, path)
    _refuse_other_text(path, read_text(root, path))


def _refuse_other_text(path: str, text: str) -> None:
    if refusal := explain_not_appendable(path, text):
        raise UsageError("file", refusal, help="name a new file in `review.progress`")


class _NoFolderError(UsageError):
    """A folder on the way to the file does not exist."""


@contextlib.contextmanager
def _explain_errors(path: str) -> Iterator[None]:
    if refusal := explain_refused_path(path):
        raise UsageError("file", refusal)
    try:
        yield
    except OSError as problem:
        if problem.errno in NO_SPACE:
            raise DiskFullError(path) from None
        if problem.errno == errno.ELOOP:
            raise UsageError("file", f"{path!r} is a symbolic link, and reknit writes through none") from None
        raise UsageError("file", f"{path!r} cannot be used: {problem.strerror}") from None


@contextlib.contextmanager
def _open_parent(root: str, path: str, *, creates: bool = False) -> Iterator[int]:
    """Open the folder of the file; none on the way below the root is a link."""
    handle = os.open(root, FOLDER_FLAGS & ~os.O_NOFOLLOW)
    try:
        for name in path.split("/")[:-1]:
            if creates:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, dir_fd=handle)
            inner = _open_inner_folder(handle, name, path)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def _open_inner_folder(handle: int, name: str, path: str) -> int:
    try:
        return os.open(name, FOLDER_FLAGS, dir_fd=handle)
    except FileNotFoundError:
        raise _NoFolderError("file", f"there is no folder {name!r} for {path!r}", help="create it") from None
    except NotADirectoryError:  # the kernel returns it for a link, too
        raise UsageError("file", f"{name!r} in {path!r} is a symbolic link or a file, not a folder") from None


@contextlib.contextmanager
def _open_new_files_folder(root: str, folder: int) -> Iterator[int]:
    """Open the folder for the new content: `.git` if a rename from there to the file is possible."""
    try:
        git = os.open(f"{root}/.git", FOLDER_FLAGS)
    except OSError:
        yield folder
        return
    try:
        can_rename = os.fstat(git).st_dev == os.fstat(folder).st_dev and os.access(f"/proc/self/fd/{git}", os.W_OK)
        yield git if can_rename else folder
    finally:
        os.close(git)


def _read(folder: int, name: str, path: str, access: int) -> Content:
    try:
        number = os.open(name, access | FILE_FLAGS, dir_fd=folder)
    except FileNotFoundError:
        return Content(b"", None)
    with os.fdopen(number, "rb") as file:
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode):
            raise UsageError("file", f"{path!r} is not a regular file")
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise _too_large(path)
    return Content(data, facts)


def _too_large(path: str) -> UsageError:
    message = f"{path!r} is larger than {MAX_FILE_BYTES / 1_000_000:g} MB"
    return UsageError("file", message, help="move its older entries to another file")


def _contains_block(data: bytes, block: bytes) -> bool:
    """Return True if the file has these lines. An editor may have changed the line ends."""
    return b"\n" + block in b"\n" + data.replace(b"\r\n", b"\n")


def _separator(data: bytes) -> bytes:
    if not data or data.endswith((b"\n\n", b"\n\r\n")):
        return b""
    return b"\n" if data.endswith(b"\n") else b"\n\n"


class OpenWorkingTree:
    """Implements `ports.WorkingTreeFiles`."""

    append = staticmethod(append_once)
    rewrite = staticmethod(rewrite)
    read = staticmethod(read_text)
