"""Files of fix mode: a marker per window in the state folder, and exports in the repository for other tools."""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import get_native_id
from typing import Any

from reknit.adapters.files.regular_files import read_plain_text
from reknit.core.fix_pr.output.pull_watch import SUFFIX, PullWatch, format_watch, parse_watch
from reknit.core.hook.exports import FOLDER, NEW, render_bug_export, render_pull_exports
from reknit.core.hook.marker import (
    UNCLAIMED,
    HookAnswer,
    Marker,
    Notified,
    format_marker,
    format_notified,
    parse_marker,
    parse_notified,
)
from reknit.core.hook.mode import FixMode

GONE = (FileNotFoundError, NotADirectoryError)


class HookFiles:
    """Implements `ports.FixModeFiles`. `folder`: `hooks` in the state folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def publish(self, mode: FixMode, answer: HookAnswer | None = None, run_id: str = "") -> None:
        """Write marker and export, unless a person gave the bug up: the window may work on another bug by now."""
        if mode.is_given_up:
            return
        bug = mode.bug
        since = time.time() if mode.check else 0.0
        marker = Marker(bug.status, bug.bug_id, bug.test_path, mode.check, since, answer, run_id)
        with contextlib.suppress(*GONE):  # the repository was removed
            write_marker(self._folder, mode.repository, mode.owner or UNCLAIMED, format_marker(marker))
            write_exports(mode.repository, render_bug_export(mode.bug.to_document(), mode.owner))

    def close(self, mode: FixMode) -> None:
        """Remove the marker, so that its window is no longer checked."""
        self.remove(mode.repository, mode.owner)
        write_exports(mode.repository, render_bug_export(mode.bug.to_document(), mode.owner))

    def read(self, repository: str, owner: str) -> Marker | None:
        with contextlib.suppress(*GONE):
            return parse_marker(read_plain_text(marker_folder(self._folder, repository) / (owner or UNCLAIMED)))
        return None

    def remove(self, repository: str, owner: str) -> None:
        with contextlib.suppress(*GONE):
            place = marker_folder(self._folder, repository)
            for name in (owner or UNCLAIMED, _news_file_name(owner)):
                (place / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # another window has a marker there
                place.rmdir()

    def read_news_state(self, repository: str, owner: str) -> Notified:
        with contextlib.suppress(*GONE):
            return parse_notified(read_plain_text(marker_folder(self._folder, repository) / _news_file_name(owner)))
        return Notified()

    def write_news_state(self, repository: str, owner: str, news_state: Notified) -> None:
        with contextlib.suppress(*GONE):
            _replace(marker_folder(self._folder, repository) / _news_file_name(owner), format_notified(news_state))

    def mark_answered(self, repository: str, owner: str, marker: Marker) -> None:
        """Let the hook's entry answer by itself from now on. A newer marker, such as of another bug, stays as it is."""
        with contextlib.suppress(*GONE):
            if self.read(repository, owner) == marker:
                _replace(
                    marker_folder(self._folder, repository) / owner, format_marker(replace(marker, is_delivered=True))
                )


def marker_folder(hooks: Path, repository: str) -> Path:
    """Return the folder of a repository's markers, named by device and inode: they are the same through a link."""
    facts = Path(repository).stat()
    return hooks / f"{facts.st_dev}-{facts.st_ino}"


def write_marker(hooks: Path, repository: str, name: str, text: str) -> None:
    """Write one marker of the repository, and create the folder if necessary."""
    folder = marker_folder(hooks, repository)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _replace(folder / name, text)


def _news_file_name(owner: str) -> str:
    """Return the name of the news file of a window. No session id ends with `~`."""
    return f"{owner}~"


def write_exports(repository: str, texts: Mapping[str, str | None]) -> None:
    """Write the files if the agent's folder exists. `texts`: path in the repository -> text; None removes the file."""
    for path, text in texts.items():
        with contextlib.suppress(OSError):  # the work goes on without an export that cannot be written
            folder = Path(repository, FOLDER)
            if not folder.is_dir() or folder.is_symlink():
                return
            if text is None:
                Path(repository, path).unlink(missing_ok=True)
            else:
                _replace(Path(repository, path), text)


def _replace(path: Path, text: str) -> None:
    """Replace the file atomically."""
    fresh = path.with_name(f"{path.name}{NEW}{get_native_id()}")  # two threads may write the same file
    fresh.unlink(missing_ok=True)  # a killed process may have left it, or a cloned repository may have a link there
    try:
        with fresh.open("x") as file:
            file.write(text)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


class PullWatches:
    """Markers of windows that follow a pull-request run. `folder`: `hooks` in the state folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, repository: str, session: str, watch: PullWatch) -> None:
        write_marker(self._folder, repository, f"{session}{SUFFIX}", format_watch(watch))

    def read(self, repository: str, session: str) -> PullWatch | None:
        with contextlib.suppress(*GONE):
            return parse_watch(read_plain_text(marker_folder(self._folder, repository) / f"{session}{SUFFIX}"))
        return None

    def remove(self, repository: str, session: str) -> None:
        with contextlib.suppress(*GONE):
            folder = marker_folder(self._folder, repository)
            (folder / f"{session}{SUFFIX}").unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # another marker is there
                folder.rmdir()

    def find_all(self, repository: str) -> dict[str, PullWatch]:
        """Return the watches of a repository by the session of their window."""
        watches = {}
        with contextlib.suppress(*GONE):
            for marker in sorted(marker_folder(self._folder, repository).glob(f"*{SUFFIX}")):
                session = marker.name.removesuffix(SUFFIX)
                if watch := self.read(repository, session):
                    watches[session] = watch
        return watches

    def export(self, repository: str, owner: str, state: Mapping[str, Any], *, is_parked: bool = False) -> None:
        write_exports(repository, render_pull_exports(state, owner, is_parked=is_parked))
