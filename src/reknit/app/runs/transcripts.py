"""Reads the transcripts that the calls of a run left in its folder."""

from pathlib import Path

from reknit.adapters.files.regular_files import open_plain
from reknit.app.installation import Installation
from reknit.core.agents.conversation import read_conversation
from reknit.core.agents.transcript import Transcript, recognize_agent
from reknit.core.errors import UsageError
from reknit.core.runs.view import RunView

MOST_BYTES = 4_000_000
"""Bytes that are read of one transcript: the first quarter of them from its start, the rest from its end."""
_ANY_SIZE = 1 << 40
_LATER = ".again"


def read_transcripts(
    installation: Installation, run: RunView, attempt: int | None = None, *, most_bytes: int = MOST_BYTES
) -> list[Transcript]:
    """Return the conversations of the run in their order; none if they are not on this machine."""
    folder = installation.runs / run.id
    files = folder.glob("*.log/transcript*" if attempt is None else f"attempt-{attempt}.log/transcript*")
    return [
        _read_transcript(path, run.repository, most_bytes)
        for path in sorted(files, key=lambda path: (_age(path), path))
    ]


def _read_transcript(path: Path, repository: str, most_bytes: int) -> Transcript:
    content = _read_ends(path, most_bytes)
    kind = recognize_agent(content) if path.suffix == ".jsonl" else ""
    turns = read_conversation(kind, content, repository=repository)
    return Transcript(path.parent.stem, kind, turns, is_again=_LATER in path.suffixes)


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _read_ends(path: Path, most_bytes: int) -> bytes:
    """Return the file; of a large one, whole lines from its start and from its end."""
    try:
        with open_plain(path, most_bytes=_ANY_SIZE) as file:
            first = file.read(most_bytes // 4)
            size = file.seek(0, 2)
            file.seek(max(len(first), size - (most_bytes - len(first))))
            last = file.read(most_bytes)
            if size > most_bytes:
                first, last = first[: first.rfind(b"\n") + 1], last[last.find(b"\n") + 1 :]
    except (OSError, UsageError):
        return b""
    return first + last
