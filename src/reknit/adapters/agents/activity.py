"""Says what an agent does while it works, from the transcript that its call leaves and the files that it changes."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from reknit.core.agents.call import AgentSettings
from reknit.core.agents.conversation import read_conversation
from reknit.core.box import BoxView
from reknit.core.live.activity import MAX_LINES, Activity, describe_turns

_READ_BYTES = 256 * 1024
"""The end of a transcript that is read; what an agent does now is there."""
_MAX_ENTRIES = 20_000
"""Entries of a tree that are looked at; a larger one would take too long each second."""
_NOT_SEARCHED = frozenset({".git", "node_modules", ".venv", "venv", "target", "__pycache__"})
_KINDS = ("claude", "codex", "gemini")
_TRANSCRIPTS = ("transcript.again.jsonl", "transcript.jsonl", "transcript.txt")


def watch_call(agent: AgentSettings, folder: str, view: BoxView) -> Callable[[], Activity]:
    """Return a function that says what the agent does now; it never raises for a file that comes or goes."""
    began = time.time()

    def observe() -> Activity:
        turns = read_conversation(agent.kind, _read_end(folder, began), repository=view.repository)
        files = () if agent.kind in _KINDS or view.read_only else tuple(_list_changed(view.tree, began))
        return describe_turns(agent.name, turns, files)

    return observe


def _read_end(folder: str, began: float) -> bytes:
    """Return the end of the transcript of this call; an earlier start of the same call may have left one too."""
    for path in (Path(folder, name) for name in _TRANSCRIPTS):
        try:
            with path.open("rb") as file:
                facts = os.fstat(file.fileno())
                if facts.st_mtime < began - 1 or not facts.st_size:
                    continue
                file.seek(max(0, facts.st_size - _READ_BYTES))
                return file.read(_READ_BYTES)
        except OSError:
            continue
    return b""


def _list_changed(tree: str, began: float) -> Iterator[str]:
    """Yield the files that were written since then, the newest first, as long as the tree is not too large."""
    files: list[tuple[float, str]] = []
    entries = 0
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if name not in _NOT_SEARCHED]
        entries += len(names) + len(folders)
        if entries > _MAX_ENTRIES:
            break
        for name in names:
            try:
                written = os.lstat(Path(folder, name)).st_mtime
            except OSError:
                continue
            if written >= began:
                files.append((written, os.path.relpath(Path(folder, name), tree)))
    yield from (name for _, name in sorted(files, reverse=True)[:MAX_LINES])
