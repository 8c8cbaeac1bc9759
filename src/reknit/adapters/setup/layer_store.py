"""Stores the results of set-ups by name, up to a total size; a layer that a live process uses is never removed.

Each layer is a folder that appears by one rename, so a process that dies leaves no partial layer. Locks are files in it
and beside it; the kernel releases them when their process dies.
"""

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reknit.adapters.files.folders import discard
from reknit.core.setup.layers import Layer

MAX_LAYERS = 500
"""Maximum number of layers, however small they are."""
_ABOUT, _LOCK, _NEW, _BUILD = "layer.json", "lock", ".new", ".build"


class LayerStore:
    """The folder with all layers."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self._locks: dict[str, list[int]] = {}
        self._mutex = threading.Lock()
        self._is_over = False

    def names(self, key: str) -> Sequence[str]:
        """List the layers that begin with this key."""
        places = self._folder.glob(f"{key}*") if self._folder.is_dir() else ()
        return sorted(place.name for place in places if place.suffix not in (_NEW, _BUILD))

    def hold(self, name: str, holder: str) -> Layer | None:
        place = self._folder / name
        lock = _open_locked(place / _LOCK, fcntl.LOCK_SH)
        if lock is None:
            return None
        layer = _read_description(place)
        if layer is None:
            os.close(lock)
            return None
        with self._mutex:
            self._locks.setdefault(holder, []).append(lock)
        os.utime(lock)  # the time of the last use: `trim` removes the oldest first
        return layer

    def release(self, holder: str) -> None:
        with self._mutex:
            locks = self._locks.pop(holder, [])
        for lock in locks:
            os.close(lock)
        if locks and self._is_over:
            self.trim()

    @contextlib.contextmanager
    def start_build(self, name: str) -> Iterator["NewLayer | None"]:
        """Yield a new layer to build; None if another process builds it, or has built it by now."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{name}{_BUILD}"
        lock = _open_locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB, create=True)
        if lock is None:
            yield None
            return
        new, place = self._folder / f"{name}{_NEW}", self._folder / name
        try:
            if place.exists() and _is_whole(place):
                yield None
                return
            for leftover in (new, place):  # left by a process or a machine that died
                discard(leftover)
            new.mkdir()
            yield NewLayer(new, place, self._most_bytes)
        finally:
            discard(new)
            path.unlink(missing_ok=True)
            os.close(lock)

    def trim(self, but: str = "") -> None:
        """Remove the least recently used layers until the rest fits, and leftovers of dead processes."""
        self._remove_leftovers()
        layers = sorted(self._list_layers(), key=lambda layer: layer[1])
        total = sum(size for _, _, size in layers)
        count = len(layers)
        for place, _, size in layers:
            if total <= self._most_bytes and count <= MAX_LAYERS:
                break
            if place.name != but and self._remove(place):
                total, count = total - size, count - 1
        self._is_over = total > self._most_bytes or count > MAX_LAYERS

    def _list_layers(self) -> Iterator[tuple[Path, float, int]]:
        """Yield (folder, time of last use, bytes)."""
        if not self._folder.is_dir():
            return
        for place in sorted(self._folder.iterdir()):
            with contextlib.suppress(OSError, ValueError):  # removed by another process meanwhile
                yield place, (place / _LOCK).stat().st_mtime, json.loads((place / _ABOUT).read_text())["bytes"]

    def _remove(self, place: Path) -> bool:
        lock = _open_locked(place / _LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if lock is None:
            return False
        unlinked = place.with_name(f"{secrets.token_hex(4)}{_NEW}")
        place.rename(unlinked)
        os.close(lock)
        discard(unlinked)
        return True

    def _remove_leftovers(self) -> None:
        for place in self._folder.iterdir() if self._folder.is_dir() else ():
            if place.suffix not in (_NEW, _BUILD) and not _is_whole(place):
                discard(place)
        for new in self._folder.glob(f"*{_NEW}"):
            lock = _open_locked(new.with_suffix(_BUILD), fcntl.LOCK_EX | fcntl.LOCK_NB, create=True)
            if lock is not None:
                discard(new)
                new.with_suffix(_BUILD).unlink(missing_ok=True)
                os.close(lock)


class NewLayer:
    """A layer that is being built; no other process sees it before `keep`."""

    def __init__(self, folder: Path, place: Path, most_bytes: int) -> None:
        self._folder, self._place, self._most_bytes = folder, place, most_bytes

    def keep(self, folders: Mapping[str, Path], refused: Sequence[str] = ()) -> int:
        """Move these folders here, by their place in a box, and publish the layer. `refused`: as in `Layer`.

        Return the number of bytes by which it is too large; then it is not stored.
        """
        names = {at: str(number) for number, at in enumerate(folders)}
        for at, source in folders.items():
            shutil.move(source, self._folder / names[at])
        size = _measure(self._folder)
        if size > self._most_bytes:
            return size - self._most_bytes
        (self._folder / _ABOUT).write_text(json.dumps({"folders": [*names.items()], "bytes": size, "refused": refused}))
        (self._folder / _LOCK).touch()
        self._folder.rename(self._place)
        return 0


def _read_description(place: Path) -> Layer | None:
    """Read a layer's description; None if it is missing or damaged, for example after a power failure."""
    try:
        about = json.loads((place / _ABOUT).read_text())
        folders = tuple((at, str(place / name)) for at, name in about["folders"])
        return Layer(place.name, folders, tuple(about.get("refused", ())))
    except (OSError, ValueError):
        return None


def _is_whole(place: Path) -> bool:
    return (place / _LOCK).is_file() and _read_description(place) is not None


def _measure(folder: Path) -> int:
    """Add up the sizes. Raise for a folder that cannot be read, such as one that is too deep."""
    return sum(
        os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - a path per file would take a second
        for parent, _, names in os.walk(folder, onerror=_raise)
        for name in names
    )


def _raise(problem: OSError) -> None:
    raise problem


def _open_locked(path: Path, how: int, *, create: bool = False) -> int | None:
    """Open and lock a file; None if it is missing, was removed meanwhile, or is locked by another process."""
    try:
        lock = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if create else 0), 0o600)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, how)
        if path.stat().st_ino == os.fstat(lock).st_ino:
            return lock
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(lock)
    return None
