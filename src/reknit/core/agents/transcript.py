"""The transcript of one call of an agent: which agent wrote it, and which of its turns a person reads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reknit.core.agents.cli_output import parse_events
from reknit.core.agents.conversation import Turn

_WRITERS = {
    **dict.fromkeys(("system", "assistant", "user"), "claude"),
    **dict.fromkeys(("thread.started", "turn.started", "item.started", "item.completed"), "codex"),
    **dict.fromkeys(("init", "message"), "gemini"),
}
"""Type of a CLI's first event -> the kind of the agent."""
_HEAD_BYTES = 100_000


@dataclass(frozen=True)
class Transcript:
    """One call of an agent that is kept in the folder of its run."""

    call: str
    """Name of the call: `attempt-2`."""
    agent_kind: str
    """claude, codex, gemini; empty: any other command."""
    turns: tuple[Turn, ...]
    is_again: bool = False
    """The agent was asked again in the same call, because its report was missing."""

    @property
    def title(self) -> str:
        """Return its name and its agent for people: `attempt 2 · claude`."""
        name, _, number = self.call.rpartition("-")
        title = f"{name} {number}" if name and number.isdigit() else self.call
        again = ", asked again" if self.is_again else ""
        return f"{title}{again} · {self.agent_kind}" if self.agent_kind else f"{title}{again}"


def recognize_agent(transcript: bytes) -> str:
    """Return the kind of the CLI that printed this; empty if it is none that we know."""
    first = next(parse_events(transcript[:_HEAD_BYTES]), {})
    return _WRITERS.get(str(first.get("type")), "")


def list_read_turns(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Yield the turns for people: what a tool printed when it only read or wrote a file is left out."""
    verb = ""
    for turn in turns:
        verb = turn.verb or verb
        if turn.kind != "result" or turn.is_error or verb not in ("reads", "edits"):
            yield turn
