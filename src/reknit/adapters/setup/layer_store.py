"""Keeps what set-ups installed, by name, within a bound; a layer that a live process uses is never removed.

Each layer is a folder that appears by one rename, so a process that dies leaves no half of one. Locks are files inside
it and beside it; the kernel releases them with their process.
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
from reknit.core.setup.values import Layer

MOST_LAYERS = 500
"""However small they are."""
_ABOUT, _LOCK, _NEW, _BUILD = "layer.json", "lock", ".new", ".build"


class LayerStore:
    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self._held: dict[str, list[int]] = {}
        self._mutex = threading.Lock()
        self._is_over = False

    def names(self, key: str) -> Sequence[str]:
        """Of the layers that begin with this key."""
        found = self._folder.glob(f"{key}*") if self._folder.is_dir() else ()
        return sorted(place.name for place in found if place.suffix not in (_NEW, _BUILD))

    def hold(self, name: str, holder: str) -> Layer | None:
        place = self._folder / name
        lock = _locked(place / _LOCK, fcntl.LOCK_SH)
        if lock is None:
            return None
        layer = _described(place)
        if layer is None:
            os.close(lock)
            return None
        with self._mutex:
            self._held.setdefault(holder, []).append(lock)
        os.utime(lock)  # the least recently used one goes first
        return layer

    def release(self, holder: str) -> None:
        with self._mutex:
            locks = self._held.pop(holder, [])
        for lock in locks:
            os.close(lock)
        if locks and self._is_over:
            self.trim()

    @contextlib.contextmanager
    def building(self, name: str) -> Iterator["NewLayer | None"]:
        """None: another process builds it, or has built it by now."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{name}{_BUILD}"
        lock = _locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB, create=True)
        if lock is None:
            yield None
            return
        new, place = self._folder / f"{name}{_NEW}", self._folder / name
        try:
            if place.exists() and _is_whole(place):
                yield None
                return
            for left in (new, place):  # of a process that died, or of a machine that did
                discard(left)
            new.mkdir()
            yield NewLayer(new, place, self._most_bytes)
        finally:
            discard(new)
            path.unlink(missing_ok=True)
            os.close(lock)

    def trim(self, but: str = "") -> None:
        """Remove the least recently used layers until the rest fits, and what dead processes left."""
        self._clear_left()
        found = sorted(self._layers(), key=lambda layer: layer[1])
        total = sum(size for _, _, size in found)
        count = len(found)
        for place, _, size in found:
            if total <= self._most_bytes and count <= MOST_LAYERS:
                break
            if place.name != but and self._remove(place):
                total, count = total - size, count - 1
        self._is_over = total > self._most_bytes or count > MOST_LAYERS

    def size(self) -> int:
        return sum(size for _, _, size in self._layers())

    def _layers(self) -> Iterator[tuple[Path, float, int]]:
        """(folder, when it was last used, bytes)"""
        if not self._folder.is_dir():
            return
        for place in sorted(self._folder.iterdir()):
            with contextlib.suppress(OSError, ValueError):  # removed by another process meanwhile
                yield place, (place / _LOCK).stat().st_mtime, json.loads((place / _ABOUT).read_text())["bytes"]

    def _remove(self, place: Path) -> bool:
        lock = _locked(place / _LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if lock is None:
            return False
        gone = place.with_name(f"{secrets.token_hex(4)}{_NEW}")
        place.rename(gone)
        os.close(lock)
        discard(gone)
        return True

    def _clear_left(self) -> None:
        for place in self._folder.iterdir() if self._folder.is_dir() else ():
            if place.suffix not in (_NEW, _BUILD) and not _is_whole(place):
                discard(place)
        for new in self._folder.glob(f"*{_NEW}"):
            lock = _locked(new.with_suffix(_BUILD), fcntl.LOCK_EX | fcntl.LOCK_NB, create=True)
            if lock is not None:
                discard(new)
                new.with_suffix(_BUILD).unlink(missing_ok=True)
                os.close(lock)


class NewLayer:
    """A layer that is being built; nobody sees it before `keep`."""

    def __init__(self, folder: Path, place: Path, most_bytes: int) -> None:
        self._folder, self._place, self._most_bytes = folder, place, most_bytes

    def keep(self, found: Mapping[str, Path], refused: Sequence[str] = ()) -> int:
        """Move these folders here, by their place in a box, and show the whole. `refused`: as in `Layer`.

        Returns how many bytes it is too large; then it is not kept.
        """
        names = {at: str(number) for number, at in enumerate(found)}
        for at, source in found.items():
            shutil.move(source, self._folder / names[at])
        size = _size_of(self._folder)
        if size > self._most_bytes:
            return size - self._most_bytes
        (self._folder / _ABOUT).write_text(json.dumps({"folders": [*names.items()], "bytes": size, "refused": refused}))
        (self._folder / _LOCK).touch()
        self._folder.rename(self._place)
        return 0


def _described(place: Path) -> Layer | None:
    """None: its description was lost, as a machine that loses power may leave it."""
    try:
        about = json.loads((place / _ABOUT).read_text())
        folders = tuple((at, str(place / name)) for at, name in about["folders"])
        return Layer(place.name, folders, tuple(about.get("refused", ())))
    except (OSError, ValueError):
        return None


def _is_whole(place: Path) -> bool:
    return (place / _LOCK).is_file() and _described(place) is not None


def _size_of(folder: Path) -> int:
    """Raises for a folder that cannot be read, such as one that is too deep: it could be of any size."""
    return sum(
        os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - a path per file would take a second
        for parent, _, names in os.walk(folder, onerror=_raise)
        for name in names
    )


def _raise(problem: OSError) -> None:
    raise problem


def _locked(path: Path, how: int, *, create: bool = False) -> int | None:
    """An open, locked file; None: it is not there, was removed meanwhile, or is locked by another."""
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
