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
    """The first line: all that the entry of the hook reads."""
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


def marker_text(marker: Marker) -> str:
    document = asdict(marker)
    return f"{document.pop('status')}\n{json.dumps(document)}\n"


def marker_in(text: str) -> Marker | None:
    """None: it is damaged."""
    status, _, rest = text.partition("\n")
    try:
        document = json.loads(rest)
        answer = document.pop("answer")
        return Marker(status=status, answer=Answer(**answer) if answer else None, **document)  # type: ignore[arg-type]
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


@dataclass(frozen=True)
class Told:
    """What the window was told so far. Only its own hook writes this."""

    run_id: str = ""
    """The check whose result it knows."""
    blocks: int = 0
    """How often it was sent back in a row."""


def told_text(told: Told) -> str:
    return f"{told.blocks} {told.run_id}\n"


def told_in(text: str) -> Told:
    """Nothing was told, if it is damaged."""
    blocks, _, run_id = text.strip().partition(" ")
    return Told(run_id, int(blocks)) if blocks.isascii() and blocks.isdigit() and len(blocks) < 5 else Told()
