"""Writes the files that show other tools the state of a run."""

import contextlib
from pathlib import Path

from reknit.adapters.hook import PullWatches, write_exports
from reknit.core.capabilities import find_capability
from reknit.core.hook.exports import render_bug_export
from reknit.store.runs.reader import RunReader


class StateExports:
    """Implements `ports/hook.py`: exports the state document of a run."""

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

    def publish_bug(self, repository: str, run_id: str) -> None:
        run = self._reader.run(run_id)
        if document := find_capability(run.kind).state_document:
            write_exports(repository, render_bug_export(document(self._reader.stored(run)), ""))
