"""Codex's `exec --json` output: how its turn ended, and the last message of the agent."""

from reknit.core.agents.outcome import LastWord, first_words
from reknit.core.agents.streams.json_lines import events


def read(stdout: bytes) -> LastWord | None:
    """None when the turn did not end. An `error` event alone is no end: it is often a mere warning."""
    said = ""
    last: LastWord | None = None
    for event in events(stdout):
        match event:
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(text)}}:
                said = text
            case {"type": "turn.completed"}:
                last = LastWord(finished=True, words=first_words(said))
            case {"type": "turn.failed", "error": {"message": str(message)}}:
                last = LastWord(finished=False, words=first_words(message))
            case {"type": "turn.failed"}:
                last = LastWord(finished=False)
    return last
