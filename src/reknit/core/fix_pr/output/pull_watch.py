"""The marker file of a window that receives news of a pull-request run. Every stop reads it, so it imports little."""

import json
from dataclasses import asdict, dataclass

SUFFIX = "+pr"
"""End of the marker's name, after the window's session id, which never contains a `+`."""


@dataclass(frozen=True)
class PullWatch:
    """The news that a window has received about its pull-request run."""

    run_id: str
    iterations: int = 0
    """Number of iterations that the window knows."""
    is_stopped: bool = False
    """True if the window knows that the run stopped before its end."""


def format_watch(watch: PullWatch) -> str:
    """Format the file of the marker."""
    return f"in_progress\n{json.dumps(asdict(watch))}\n"


def parse_watch(text: str) -> PullWatch | None:
    """Parse the file of the marker; None if it is damaged."""
    try:
        return PullWatch(**json.loads(text.partition("\n")[2]))
    except (ValueError, TypeError):
        return None
