"""The file by which the hook of a window learns, without a database, whether and what it has to answer."""

import json
from dataclasses import asdict, dataclass

from reknit.core.bug_state import BugStatus
from reknit.core.hook.answer import Answer

UNCLAIMED = "unclaimed"
"""The name of the marker of a bug that no window works on yet; otherwise it is the window's session id."""


@dataclass(frozen=True)
class Marker:
    status: BugStatus
    bug_id: str
    test_path: str
    check: str = ""
    """The run that checks the last stop, until its result is in."""
    since: float = 0.0
    """When that run was started."""
    answer: Answer | None = None
    """What the last result is answered with."""
    answered: str = ""
    """The run of that result."""
    is_told: bool = False
    """The window knows that answer."""

    @property
    def line(self) -> str:
        """The first line, all that the entry of the hook reads: `in_progress`, until the window was told the end."""
        return "in_progress" if self.answer and not self.is_told else self.status


def marker_text(marker: Marker) -> str:
    return f"{marker.line}\n{json.dumps(asdict(marker))}\n"


def marker_in(text: str) -> Marker | None:
    """None: it is damaged."""
    try:
        document = json.loads(text.partition("\n")[2])
        answer = document.pop("answer")
        return Marker(answer=Answer(**answer) if answer else None, **document)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


@dataclass(frozen=True)
class Told:
    """What the window was told so far. Only its own hook writes this."""

    run_id: str = ""
    """The check whose result it knows."""
    blocks: int = 0
    """How often it was sent back in a row."""


def is_news(marker: Marker | None, told: Told) -> bool:
    """Whether there is a result that the window does not know."""
    return bool(marker and marker.answer and marker.answered != told.run_id)


def told_text(told: Told) -> str:
    return f"{told.blocks} {told.run_id}\n"


def told_in(text: str) -> Told:
    """Nothing was told, if it is damaged."""
    blocks, _, run_id = text.strip().partition(" ")
    return Told(run_id, int(blocks)) if blocks.isascii() and blocks.isdigit() and len(blocks) < 5 else Told()
