"""Codex's `exec --json` output: how its turn ended, and the last message of the agent."""

from reknit.core.agents.outcome import FinalEvent, first_words
from reknit.core.agents.streams.json_lines import events


def read(stdout: bytes) -> FinalEvent | None:
    """None if the turn did not end. An `error` event alone does not end it: it is often just a warning."""
    said = ""
    last: FinalEvent | None = None
    for event in events(stdout):
        match event:
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(text)}}:
                said = text
            case {"type": "turn.completed"}:
                last = FinalEvent(finished=True, words=first_words(said))
            case {"type": "turn.failed", "error": {"message": str(message)}}:
                last = FinalEvent(finished=False, words=first_words(message))
            case {"type": "turn.failed"}:
                last = FinalEvent(finished=False)
    return last
