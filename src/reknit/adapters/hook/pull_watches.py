"""Markers of windows that are told about a pull-request run, and the files that show other tools where it is."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reknit.adapters.files.regular_files import read_plain_text
from reknit.adapters.hook.files import GONE, export, marker_folder, write_marker
from reknit.core.fix_pr.output.pull_watch import SUFFIX, PullWatch, watch_in, watch_text
from reknit.core.hook.exports import pull_exports


class PullWatches:
    """`folder`: `hooks` in the state folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, repository: str, session: str, watch: PullWatch) -> None:
        write_marker(self._folder, repository, f"{session}{SUFFIX}", watch_text(watch))

    def read(self, repository: str, session: str) -> PullWatch | None:
        with contextlib.suppress(*GONE):
            return watch_in(read_plain_text(marker_folder(self._folder, repository) / f"{session}{SUFFIX}"))
        return None

    def remove(self, repository: str, session: str) -> None:
        with contextlib.suppress(*GONE):
            folder = marker_folder(self._folder, repository)
            (folder / f"{session}{SUFFIX}").unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # another marker is there
                folder.rmdir()

    def of(self, repository: str) -> dict[str, PullWatch]:
        """By the window's session."""
        found = {}
        with contextlib.suppress(*GONE):
            for marker in sorted(marker_folder(self._folder, repository).glob(f"*{SUFFIX}")):
                session = marker.name.removesuffix(SUFFIX)
                if watch := self.read(repository, session):
                    found[session] = watch
        return found

    def export(self, repository: str, owner: str, state: Mapping[str, Any], *, is_parked: bool = False) -> None:
        export(repository, pull_exports(state, owner, is_parked=is_parked))
