"""The marker of a window that is told about a pull-request run. Imports little: it is read at every stop."""

import json
from dataclasses import asdict, dataclass

SUFFIX = "+pr"
"""Of its marker's name, after the window's session id, which has no such sign."""


@dataclass(frozen=True)
class PullWatch:
    run_id: str
    iterations: int = 0
    """Those it was told about."""
    is_stopped: bool = False
    """It was told that the run stopped before its end."""


def watch_text(watch: PullWatch) -> str:
    return f"in_progress\n{json.dumps(asdict(watch))}\n"


def watch_in(text: str) -> PullWatch | None:
    """None: it is damaged."""
    try:
        return PullWatch(**json.loads(text.partition("\n")[2]))
    except (ValueError, TypeError):
        return None
