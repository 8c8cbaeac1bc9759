"""The providers' wire formats: one module per API, all with the same interface."""

import re
from collections.abc import Iterable, Mapping
from typing import Protocol

from reknit.core.gateway.access import ProviderName
from reknit.core.gateway.metering import AnswerFacts
from reknit.core.gateway.wire import anthropic, gemini, openai, openai_chat
from reknit.core.gateway.wire.shapes import Bulk
from reknit.core.text.untrusted_input import Json


class Wire(Protocol):
    """One wire format, implemented by a module. Functions get decoded bodies that `find_refusal` let pass."""

    UPSTREAM: str
    """The vendor's own base URL."""
    PRICED: re.Pattern[str]
    """Method and path of billable requests."""
    FREE: re.Pattern[str]
    """Method and path of free requests that may pass."""
    QUERIES: frozenset[str]
    """Query parameters that are forwarded; all others are removed."""
    SEARCH_USD: float
    """The most that the vendor charges per search."""
    REQUEST_HEADERS: frozenset[str]
    ANSWER_HEADERS: frozenset[str]

    def to_credential_headers(self, key: str) -> dict[str, str]: ...

    def read_model(self, path: str, content: Json) -> str: ...

    def drop_telemetry(self, content: Json) -> Json:
        """Return the body without telemetry, and without empty fields that are not allowed."""

    def find_refusal(self, content: Json, *, allow_search: bool) -> str:
        """Return why this body must not pass; empty: it may.

        It has a field that is not allowed, or makes the vendor access the network, store it, or charge other prices.
        """

    def searches(self, content: Json) -> bool: ...

    def list_bulks(self, content: Json) -> Iterable[Bulk]: ...

    def may_shrink(self, content: Json) -> bool:
        """Return True if the vendor may count only part of the body; its count is then no bound for the next body."""

    def read_max_output(self, content: Json) -> int | None: ...

    def find_least_output(self, content: Json) -> int:
        """Return the lowest useful maximum output in tokens; with less, the vendor may reject the request."""

    def limit_output(self, content: Json, max_output: int, max_searches: int) -> Json:
        """Return the body to send: output and searches capped, nothing stored, usage reported."""

    def read_event(self, event: Json) -> AnswerFacts: ...

    def to_error(self, status: int, why: str) -> Json:
        """Return an error in the vendor's own format, so that the agent's CLI understands it."""


WIRES: Mapping[ProviderName, Wire] = {
    "anthropic": anthropic,
    "gemini": gemini,
    "openai": openai,
    "openai_chat": openai_chat,
}
