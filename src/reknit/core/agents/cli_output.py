"""Reads the events that agents' CLIs print, and the final event of each CLI."""

import json
from collections.abc import Iterator, Mapping

from reknit.core.agents.outcome import FinalEvent, take_first_words


def parse_events(stdout: bytes) -> Iterator[dict[str, object]]:
    """Yield one JSON object per line; other lines are ignored, never an error."""
    for line in stdout.splitlines():
        if not line.startswith(b"{"):
            continue
        try:
            event: dict[str, object] = json.loads(line)
        except (ValueError, RecursionError):
            continue
        yield event


def read_claude_end(stdout: bytes) -> FinalEvent | None:
    """Read the last `result` event of Claude Code's `stream-json` output; None if the CLI did not finish."""
    results = [event for event in parse_events(stdout) if event.get("type") == "result"]
    return _to_final_event(results[-1]) if results else None


def _to_final_event(event: Mapping[str, object]) -> FinalEvent:
    errors = event.get("errors")
    text = event.get("result") or (errors[0] if isinstance(errors, list) and errors else "")
    return FinalEvent(
        has_finished=not event.get("is_error"),  # an API error sets it even though the subtype is still `success`
        words=take_first_words(str(text)),
        turn_limit=event.get("subtype") == "error_max_turns",
        too_long=event.get("terminal_reason") == "prompt_too_long",
    )


def read_codex_end(stdout: bytes) -> FinalEvent | None:
    """Read the end of the turn in codex's `exec --json` output; None if it did not end.

    An `error` event alone does not end it: it is often just a warning.
    """
    last_text = ""
    last: FinalEvent | None = None
    for event in parse_events(stdout):
        match event:
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(text)}}:
                last_text = text
            case {"type": "turn.completed"}:
                last = FinalEvent(has_finished=True, words=take_first_words(last_text))
            case {"type": "turn.failed", "error": {"message": str(message)}}:
                last = FinalEvent(has_finished=False, words=take_first_words(message))
            case {"type": "turn.failed"}:
                last = FinalEvent(has_finished=False)
    return last


def read_gemini_end(stdout: bytes) -> FinalEvent | None:
    """Read the `result` event of Gemini CLI's `stream-json` output, with the text since the last tool call.

    None if the CLI did not finish: stopped by a signal, it exits 0 without a result.
    """
    texts: list[str] = []
    last: FinalEvent | None = None
    for event in parse_events(stdout):
        match event:
            case {"type": "message", "role": "assistant", "content": str(text)}:
                texts.append(text)
            case {"type": "tool_use"}:
                texts.clear()
            case {"type": "result", "status": "success"}:
                last = FinalEvent(has_finished=True, words=take_first_words("".join(texts)))
            case {"type": "result", "error": {"type": kind, "message": message}}:
                last = FinalEvent(
                    has_finished=False, words=take_first_words(str(message)), turn_limit=kind == "FatalTurnLimitedError"
                )
            case {"type": "result"}:
                last = FinalEvent(has_finished=False)
    return last
