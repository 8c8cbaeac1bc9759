"""Claude Code's `stream-json` output: its last `result` event."""

from collections.abc import Mapping

from reknit.core.agents.outcome import FinalEvent, first_words
from reknit.core.agents.streams.json_lines import events


def read(stdout: bytes) -> FinalEvent | None:
    """None if the CLI did not finish."""
    results = [event for event in events(stdout) if event.get("type") == "result"]
    return _last_word(results[-1]) if results else None


def _last_word(event: Mapping[str, object]) -> FinalEvent:
    errors = event.get("errors")
    said = event.get("result") or (errors[0] if isinstance(errors, list) and errors else "")
    return FinalEvent(
        finished=not event.get("is_error"),  # an API error sets it even though the subtype is still `success`
        words=first_words(str(said)),
        turn_limit=event.get("subtype") == "error_max_turns",
        too_long=event.get("terminal_reason") == "prompt_too_long",
    )
