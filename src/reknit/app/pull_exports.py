"""Writes the files that show other tools the pull-request run of a window."""

import contextlib
from pathlib import Path

from reknit.adapters.hook import PullWatches
from reknit.core.capabilities import find_capability
from reknit.store.runs.reader import RunReader


class PullExports:
    """Implements `ports/hook.py`: exports the state document of a run for the window that follows it."""

    def __init__(self, hooks: Path, reader: RunReader) -> None:
        self._watches, self._reader = PullWatches(hooks), reader

    def publish(self, repository: str, run_id: str) -> None:
        owner = None
        with contextlib.suppress(OSError):  # such as a repository that cannot be read: the run goes on without a file
            owner = next(
                (window for window, watch in self._watches.find_all(repository).items() if watch.run_id == run_id), None
            )
        if owner is None:
            return
        run = self._reader.run(run_id)
        if document := find_capability(run.kind).state_document:
            is_parked = run.state == "interrupted"
            self._watches.export(repository, owner, document(self._reader.stored(run)), is_parked=is_parked)
