"""Markers in the state folder, one per window, and the state file in the repository that other tools read."""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import get_native_id

from reknit.adapters.files.regular_files import read_plain_text
from reknit.core.hook.answer import Answer
from reknit.core.hook.exports import FOLDER, NEW, bug_export
from reknit.core.hook.marker import UNCLAIMED, Marker, Told, marker_in, marker_text, told_in, told_text
from reknit.core.hook.mode import FixMode

GONE = (FileNotFoundError, NotADirectoryError)


class HookFiles:
    """As `ports/hook.py` has it. `folder`: `hooks` in the state folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def publish(self, mode: FixMode, answer: Answer | None = None, run_id: str = "") -> None:
        """Nothing for a bug that a person ended: its window is not told about it, and may have another by now."""
        if mode.is_given_up:
            return
        bug = mode.bug
        since = time.time() if mode.check else 0.0
        marker = Marker(bug.status, bug.bug_id, bug.test_path, mode.check, since, answer, run_id)
        with contextlib.suppress(*GONE):  # the repository was removed
            write_marker(self._folder, mode.repository, mode.owner or UNCLAIMED, marker_text(marker))
            export(mode.repository, bug_export(mode.bug.document(), mode.owner))

    def close(self, mode: FixMode) -> None:
        """Its window is no longer checked."""
        self.remove(mode.repository, mode.owner)
        export(mode.repository, bug_export(mode.bug.document(), mode.owner))

    def read(self, repository: str, owner: str) -> Marker | None:
        with contextlib.suppress(*GONE):
            return marker_in(read_plain_text(marker_folder(self._folder, repository) / (owner or UNCLAIMED)))
        return None

    def remove(self, repository: str, owner: str) -> None:
        with contextlib.suppress(*GONE):
            place = marker_folder(self._folder, repository)
            for name in (owner or UNCLAIMED, _told(owner)):
                (place / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # another window has a marker there
                place.rmdir()

    def told(self, repository: str, owner: str) -> Told:
        with contextlib.suppress(*GONE):
            return told_in(read_plain_text(marker_folder(self._folder, repository) / _told(owner)))
        return Told()

    def tell(self, repository: str, owner: str, told: Told) -> None:
        with contextlib.suppress(*GONE):
            _replace(marker_folder(self._folder, repository) / _told(owner), told_text(told))

    def mark_told(self, repository: str, owner: str, marker: Marker) -> None:
        """From here on the entry answers by itself; not if there is something newer, such as another bug."""
        with contextlib.suppress(*GONE):
            if self.read(repository, owner) == marker:
                _replace(marker_folder(self._folder, repository) / owner, marker_text(replace(marker, is_told=True)))


def marker_folder(hooks: Path, repository: str) -> Path:
    """By device and inode: the entry of the hook finds it without a hash, and through links too."""
    facts = Path(repository).stat()
    return hooks / f"{facts.st_dev}-{facts.st_ino}"


def write_marker(hooks: Path, repository: str, name: str, text: str) -> None:
    folder = marker_folder(hooks, repository)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _replace(folder / name, text)


def _told(owner: str) -> str:
    """No session id ends with this sign."""
    return f"{owner}~"


def export(repository: str, texts: Mapping[str, str | None]) -> None:
    """Only where the agent's folder is. `texts`: by their path in the repository; None: there is to be no such file."""
    for path, text in texts.items():
        with contextlib.suppress(OSError):  # an export that cannot be written must not stop the work
            folder = Path(repository, FOLDER)
            if not folder.is_dir() or folder.is_symlink():
                return
            if text is None:
                Path(repository, path).unlink(missing_ok=True)
            else:
                _replace(Path(repository, path), text)


def _replace(path: Path, text: str) -> None:
    """The new file appears whole or not at all."""
    fresh = path.with_name(f"{path.name}{NEW}{get_native_id()}")  # two threads may write the same file
    fresh.unlink(missing_ok=True)  # of a killed process, or a link in a cloned repository
    try:
        with fresh.open("x") as file:
            file.write(text)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
