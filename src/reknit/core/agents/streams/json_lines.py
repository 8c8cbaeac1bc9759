"""One JSON object a line, as agents' CLIs print their events."""

import json
from collections.abc import Iterator


def events(stdout: bytes) -> Iterator[dict[str, object]]:
    """Lines that are no JSON objects are noise, never a failure."""
    for line in stdout.splitlines():
        if not line.startswith(b"{"):
            continue
        try:
            event: dict[str, object] = json.loads(line)
        except (ValueError, RecursionError):
            continue
        yield event
