"""Collects the mounts of a box as arguments for bwrap, with functions for certificates, kernel files and git."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.box.bubblewrap.as_root import RootMounts
from reknit.adapters.files.folders import temporary_folder

_HIDDEN_BYTES = 4096
_OPEN_TO_ALL = ("/usr", "/bin", "/sbin", "/lib", "/lib64", os.devnull)


class Mounts:
    """Mounts, added in any order. bwrap gets the outer ones first, because a mount hides everything below it."""

    def __init__(self, root: RootMounts | None = None) -> None:
        """`root`: gives bwrap access to paths that only root can reach."""
        self._root = root
        self.fds: list[int] = []
        """Open files that bwrap reads; the caller that starts bwrap passes them to it, and closes them."""
        self._mounts: list[tuple[str, list[str]]] = []
        self._last: list[str] = []

    def show_read_only(self, source: str, place: str) -> None:
        self._mounts.append((place, ["--ro-bind-try", self._make_reachable(source), place]))

    def show_writable(self, source: str, place: str) -> None:
        self._mounts.append((place, ["--bind", self._make_reachable(source), place]))

    def _make_reachable(self, source: str) -> str:
        if self._root is None or source in _OPEN_TO_ALL or source.startswith("/proc/"):
            return source
        return self._root.place(source)

    def add_link(self, target: str, place: str) -> None:
        self._mounts.append((place, ["--symlink", target, place]))

    def mount_memory(self, place: str, size_bytes: int) -> None:
        """Mount an empty private folder in memory."""
        self._mounts.append((place, ["--size", str(size_bytes), "--tmpfs", place]))

    def hide(self, path: str) -> None:
        """Cover the host's entry at this path with something that can be neither read nor written."""
        if Path(path).is_dir():
            self.mount_memory(path, _HIDDEN_BYTES)
            self.seal(path)
        else:
            self.show_read_only(os.devnull, path)  # bwrap binds it without device access, so it cannot be opened

    def mount_kernel(self, kind: str, place: str) -> None:
        """Mount the kernel's files. `kind`: `proc` or `dev`."""
        self._mounts.append((place, [f"--{kind}", place]))

    def show_content(self, content: bytes, place: str) -> None:
        """Show a read-only file with this content."""
        self._mounts.append((place, ["--ro-bind-data", self.open_data(content), place]))

    def create_file(self, content: bytes, place: str) -> None:
        """Create a writable private file, in a folder that is private too."""
        self._last += ["--perms", "0600", "--file", self.open_data(content), place]

    def seal(self, place: str) -> None:
        """Make a mount read-only once everything below it is in place."""
        self._last += ["--remount-ro", place]

    def open_data(self, content: bytes) -> str:
        """Open a file in memory with this content, and return the number of its descriptor."""
        fd = os.memfd_create("reknit-box")
        self.fds.append(fd)
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        return str(fd)

    def make_arguments(self) -> list[str]:
        by_depth = sorted(self._mounts, key=lambda mount: len(Path(mount[0]).parts))
        return [*(word for _, words in by_depth for word in words), *self._last]

    def close(self) -> None:
        for fd in self.fds:
            os.close(fd)
        self.fds.clear()


_CERTIFICATES = "/etc/ssl/certs"
_SHOWN = (_CERTIFICATES, "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf")
_KEY_SUFFIXES = (".key", ".p12", ".pfx")


def show_certificates(mounts: Mounts) -> None:
    """Show the host's certificates without the private keys that may be next to them."""
    for path in _SHOWN:
        mounts.show_read_only(path, path)
    for path in find_keys(_CERTIFICATES):
        mounts.hide(path)


def find_keys(folder: str) -> Iterator[str]:
    """Yield files named like a key, folders named `private`, and everything that is not world-readable."""
    if not os.access(folder, os.R_OK | os.X_OK):
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                continue  # its target is shown by another mount, or is missing in the box
            mode = entry.stat(follow_symlinks=False).st_mode
            if entry.is_dir(follow_symlinks=False):
                if entry.name == "private" or mode & 0o005 != 0o005:
                    yield entry.path
                else:
                    yield from find_keys(entry.path)
            elif entry.name.lower().endswith(_KEY_SUFFIXES) or not mode & 0o004:
                yield entry.path


_SHARED_MEMORY_BYTES = 256 << 20

# Container runtimes hide these too: the kernel's memory and keys, its timers and interrupts, and its hardware.
HIDDEN = (
    *("acpi", "asound", "bus", "fs", "interrupts", "irq", "kcore", "key-users", "keys", "latency_stats"),
    *("sched_debug", "scsi", "sysrq-trigger", "timer_list", "timer_stats"),
)


def show_kernel(mounts: Mounts) -> None:
    """Mount a `/proc` that is read-only except for the box's own processes, and a sealed `/dev`."""
    mounts.mount_kernel("proc", "/proc")
    with os.scandir("/proc") as entries:
        for entry in entries:
            if not entry.name.isdigit() and not entry.is_symlink():
                _show_kernel_entry(mounts, entry)
    mounts.mount_kernel("dev", "/dev")
    mounts.mount_memory("/dev/shm", _SHARED_MEMORY_BYTES)  # noqa: S108 - the box's own; bwrap leaves it unbounded
    mounts.seal("/dev")  # bwrap makes it a writable tmpfs that may use half of the memory


def _show_kernel_entry(mounts: Mounts, entry: os.DirEntry[str]) -> None:
    """Hide the entry, or make it read-only if anything in it could be written.

    bwrap covers only four of these, and only if the folder itself is writable, which `/proc/sys` never is.
    """
    mode = entry.stat(follow_symlinks=False).st_mode
    if entry.name in HIDDEN:
        mounts.hide(entry.path)
    elif stat.S_ISDIR(mode) or mode & 0o222:
        mounts.show_read_only(entry.path, entry.path)


_SHOWN_ENTRIES = ("HEAD", "objects", "packed-refs", "refs", "shallow")
"""Shown parts of a gitdir. Config, hooks, remotes and logs contain addresses, tokens and programs."""
_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
_SIZE_BYTES = 1 << 20


def show_git(mounts: Mounts, gitdir: str, place: str) -> None:
    """Show a trusted gitdir as `.git`: history, status and diff work, and nothing can be written."""
    source = Path(gitdir)
    mounts.mount_memory(place, _SIZE_BYTES)
    for name in _SHOWN_ENTRIES:
        if (source / name).exists():
            mounts.show_read_only(str(source / name), f"{place}/{name}")
    for folder in _list_borrowed_objects(source):
        mounts.show_read_only(folder, folder)
    mounts.show_content(_CONFIG, f"{place}/config")
    index = _read_index(source)
    if index:
        mounts.show_content(index, f"{place}/index")
    mounts.seal(place)


def _list_borrowed_objects(gitdir: Path) -> list[str]:
    """Return the object folders of other repositories that this one refers to."""
    alternates = gitdir / "objects" / "info" / "alternates"
    if not alternates.exists():
        return []
    lines = [line for line in alternates.read_text().splitlines() if line and not line.startswith("#")]
    return [str((gitdir / "objects" / line).resolve()) for line in lines]


def _read_index(gitdir: Path) -> bytes:
    """Return the index, or one made from HEAD: without it git reports every file as deleted. Empty without HEAD."""
    own = gitdir / "index"
    if own.exists():
        return own.read_bytes()
    with temporary_folder("reknit-index-") as folder:
        index = Path(folder, "index")
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "GIT_INDEX_FILE": str(index),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        completed = process.run(["git", "--git-dir", str(gitdir), "read-tree", "HEAD"], env=env)
        return index.read_bytes() if completed.exit_code == 0 else b""
