"""What a box shows, as arguments for bwrap."""

import os
from pathlib import Path

from reknit.adapters.box.bubblewrap.as_root.mounts import RootMounts

_HIDDEN_BYTES = 4096
_OPEN_TO_ALL = ("/usr", "/bin", "/sbin", "/lib", "/lib64", os.devnull)


class Mounts:
    """Collects mounts in any order; bwrap gets the outer ones first, since a later mount hides what is below it."""

    def __init__(self, root: RootMounts | None = None) -> None:
        """`root`: gives bwrap access to paths that only root can reach."""
        self._root = root
        self.fds: list[int] = []
        """Open files that bwrap reads; the caller that starts bwrap must pass them to it, and closes them."""
        self._mounts: list[tuple[str, list[str]]] = []
        self._last: list[str] = []

    def read_only(self, source: str, place: str) -> None:
        self._mounts.append((place, ["--ro-bind-try", self._reachable(source), place]))

    def writable(self, source: str, place: str) -> None:
        self._mounts.append((place, ["--bind", self._reachable(source), place]))

    def _reachable(self, source: str) -> str:
        if self._root is None or source in _OPEN_TO_ALL or source.startswith("/proc/"):
            return source
        return self._root.place(source)

    def link(self, target: str, place: str) -> None:
        self._mounts.append((place, ["--symlink", target, place]))

    def empty(self, place: str, size_bytes: int) -> None:
        """A private folder in memory."""
        self._mounts.append((place, ["--size", str(size_bytes), "--tmpfs", place]))

    def hide(self, path: str) -> None:
        """Cover what the host has at this path with something that can be neither read nor written."""
        if Path(path).is_dir():
            self.empty(path, _HIDDEN_BYTES)
            self.seal(path)
        else:
            self.read_only(os.devnull, path)  # bwrap binds it without device access, so it cannot be opened

    def kernel(self, kind: str, place: str) -> None:
        """`proc` or `dev`."""
        self._mounts.append((place, [f"--{kind}", place]))

    def content(self, content: bytes, place: str) -> None:
        """A read-only file with this content."""
        self._mounts.append((place, ["--ro-bind-data", self.data(content), place]))

    def file(self, content: bytes, place: str) -> None:
        """A writable private file, in a folder that is private too."""
        self._last += ["--perms", "0600", "--file", self.data(content), place]

    def seal(self, place: str) -> None:
        """Make a mount read-only once everything below it is in place."""
        self._last += ["--remount-ro", place]

    def data(self, content: bytes) -> str:
        """The descriptor number of an open file with this content."""
        fd = os.memfd_create("reknit-box")
        self.fds.append(fd)
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        return str(fd)

    def arguments(self) -> list[str]:
        by_depth = sorted(self._mounts, key=lambda mount: len(Path(mount[0]).parts))
        return [*(word for _, words in by_depth for word in words), *self._last]

    def close(self) -> None:
        for fd in self.fds:
            os.close(fd)
        self.fds.clear()
