"""Gemini CLI's `stream-json` output: its `result` event, and its text since the last tool call."""

from reknit.core.agents.outcome import FinalEvent, first_words
from reknit.core.agents.streams.json_lines import events


def read(stdout: bytes) -> FinalEvent | None:
    """None if the CLI did not finish: stopped by a signal, it exits 0 without a result."""
    said: list[str] = []
    last: FinalEvent | None = None
    for event in events(stdout):
        match event:
            case {"type": "message", "role": "assistant", "content": str(text)}:
                said.append(text)
            case {"type": "tool_use"}:
                said.clear()
            case {"type": "result", "status": "success"}:
                last = FinalEvent(finished=True, words=first_words("".join(said)))
            case {"type": "result", "error": {"type": kind, "message": message}}:
                last = FinalEvent(
                    finished=False, words=first_words(str(message)), turn_limit=kind == "FatalTurnLimitedError"
                )
            case {"type": "result"}:
                last = FinalEvent(finished=False)
    return last
