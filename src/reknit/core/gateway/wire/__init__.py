"""The providers' wire formats: everything the gateway must know of each, one module a vendor, alike in shape."""

import re
from collections.abc import Iterable, Mapping
from typing import Protocol

from reknit.core.gateway.access import ProviderName
from reknit.core.gateway.metering import AnswerFacts
from reknit.core.gateway.wire import anthropic, gemini, openai, openai_chat
from reknit.core.gateway.wire.nodes import Bulk
from reknit.core.text.json_body import Json


class Wire(Protocol):
    """Fulfilled by a module. Functions that take a body get it decoded, and one that `refusal` had nothing against."""

    UPSTREAM: str
    """The vendor's own address."""
    PRICED: re.Pattern[str]
    """Method and path of the requests that cost money."""
    FREE: re.Pattern[str]
    """Those that may pass too, and cost nothing."""
    QUERIES: frozenset[str]
    """Parts of a query that are passed on; any other is cut off."""
    SEARCH_USD: float
    """What the vendor asks for one search, at most."""
    REQUEST_HEADERS: frozenset[str]
    ANSWER_HEADERS: frozenset[str]

    def credential(self, key: str) -> dict[str, str]: ...

    def model(self, path: str, content: Json) -> str: ...

    def known(self, content: Json) -> Json:
        """The body without telemetry, and without fields that are neither allowed nor set."""

    def refusal(self, content: Json, *, allow_search: bool) -> str:
        """Why this body may not pass, or empty: it has a field that is not allowed, or the vendor would reach out, keep
        it, or charge by another list."""

    def searches(self, content: Json) -> bool: ...

    def bulks(self, content: Json) -> Iterable[Bulk]: ...

    def may_shrink(self, content: Json) -> bool:
        """The vendor may count less than it was sent, so its count says nothing of the next body."""

    def asked_output(self, content: Json) -> int | None: ...

    def least_output(self, content: Json) -> int:
        """Below this a lowered maximum makes no sense, or the vendor refuses it."""

    def limited(self, content: Json, max_output: int, max_searches: int) -> Json:
        """The body to send: at most that much output and search, nothing kept, and the usage told."""

    def read_event(self, event: Json) -> AnswerFacts: ...

    def error(self, status: int, why: str) -> Json:
        """In the vendor's own shape, so that the agent's CLI understands it."""


WIRES: Mapping[ProviderName, Wire] = {
    "anthropic": anthropic,
    "gemini": gemini,
    "openai": openai,
    "openai_chat": openai_chat,
}
