"""One JSON object per line, as agent CLIs print their events."""

import json
from collections.abc import Iterator


def events(stdout: bytes) -> Iterator[dict[str, object]]:
    """Lines that are not JSON objects are ignored, never an error."""
    for line in stdout.splitlines():
        if not line.startswith(b"{"):
            continue
        try:
            event: dict[str, object] = json.loads(line)
        except (ValueError, RecursionError):
            continue
        yield event
