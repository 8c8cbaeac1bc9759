"""What the wire formats of the scripted model share: the request, the shape of a format, the tokens of a turn."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Turn = Mapping[str, Any]
Event = dict[str, Any]


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    """With its query."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]
    at: float
    """When it came, as `time.time()` tells."""
    api: str = ""
    """The wire format that answered: anthropic, gemini, responses or chat; empty for any other path."""
    tools: tuple[str, ...] = ()
    """Names of the tools this request offers to the model."""
    tool_types: frozenset[str] = frozenset()
    """Kinds of these tools, in the words of the wire format."""
    turn: str = ""
    """Which turn answered: `NAME[2]`, `NAME[2*]` for a repeated one, `decided`, `over`, `side`, or empty."""
    raw: bytes = b""
    """Its body to the byte."""

    @property
    def place(self) -> str:
        """The path without its query."""
        return self.path.partition("?")[0]


class Wire(Protocol):
    """One vendor's format; each is a module. A request is given to a format only when it `serves` its path."""

    API: str

    def serves(self, place: str) -> bool: ...

    def count(self, place: str) -> Event | None:
        """The answer to a question how many tokens a text has; None for a request to the model."""

    def tools(self, body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Name and kind of each tool offered."""

    def user_texts(self, body: Mapping[str, Any]) -> Iterator[str]:
        """What the user said, oldest first; results of tools are left out."""

    def streams(self, request: Request) -> bool: ...

    def error(self, status: int, turn: Turn) -> Event:
        """The body of an HTTP error."""

    def message(self, request: Request, turn: Turn, number: int) -> Event | list[Event]:
        """The whole answer, as a client that does not stream gets it. `number` makes its ids unique."""

    def events(self, request: Request, turn: Turn, number: int) -> Iterator[Event]:
        """The same answer as a stream. An event with a `type` is sent under that name."""

    def closing(self) -> str:
        """The data of a last frame that is no event; empty when the format has none."""


@dataclass(frozen=True)
class Usage:
    """Tokens of a turn: each counted once, whatever a wire adds together."""

    fresh: int
    cached: int
    cache_write: int
    output: int
    reasoning: int
    """A part of `output`."""

    @property
    def prompt(self) -> int:
        """All that was read, as Google and OpenAI count it."""
        return self.fresh + self.cached + self.cache_write

    @property
    def total(self) -> int:
        return self.prompt + self.output


def usage_of(turn: Turn) -> Usage:
    said = turn.get("usage", {})
    return Usage(
        fresh=said.get("input", 100),
        cached=said.get("cached", 0),
        cache_write=said.get("cache_write", 0),
        output=said.get("output", 20),
        reasoning=said.get("reasoning", 0),
    )


def texts_of(content: object, *kinds: str) -> Iterator[str]:
    """The texts of one message: a plain string, or those of its blocks that are of these kinds."""
    if isinstance(content, str):
        yield content
        return
    if not isinstance(content, list):
        return
    for block in content:
        if block.get("type") in kinds:
            yield block["text"]


def halves(text: str) -> list[str]:
    """A text in the two pieces a stream brings it in."""
    middle = (len(text) + 1) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]
