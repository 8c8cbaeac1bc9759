"""What a model's response used, and when its provider refuses temporarily."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace

from reknit.core.gateway.retry_after import named_time
from reknit.core.text.json_body import Json

UNREACHABLE = 0
"""Status of a `ProviderRefusal` if the provider did not respond at all."""

RETRYABLE = frozenset({408, 429, 500, 501, 502, 503, 504, 529})
_MAX_LINE = 8 << 20
_MANY_MEANINGS, _FORBIDDEN, _TOO_MANY = 400, 403, 429


@dataclass(frozen=True)
class ProviderRefusal:
    """The provider refuses requests temporarily."""

    status: int
    until: float | None = None
    """Unix time, if the provider named one."""


@dataclass(frozen=True)
class Tokens:
    """The counts of one response."""

    input: int = 0
    cache_write: int = 0
    cache_write_short: int = 0
    """The part of `cache_write` with the shorter, cheaper lifetime."""
    cached: int = 0
    output: int = 0
    """Including thinking."""
    searches: int = 0

    @property
    def prompt(self) -> int:
        return self.input + self.cache_write + self.cached


@dataclass(frozen=True)
class AnswerFacts:
    """What one JSON object of a response says."""

    tokens: Tokens = Tokens()
    """Counts of the whole response so far."""
    final: bool = False
    """These counts are final."""
    status: int = 0
    """The status that an error in it corresponds to; 0: no error."""
    wait_s: float | None = None
    """Seconds until the provider accepts requests again, from an error's details."""
    refused: bool = False
    """The model refused."""
    announces: bool = False
    """It only announces that a response will follow."""


def merged(before: AnswerFacts, after: AnswerFacts) -> AnswerFacts:
    """Vendors spread the counts over several events, so the largest of each is kept."""
    return AnswerFacts(
        tokens=_most(before.tokens, after.tokens),
        final=before.final or after.final,
        status=after.status or before.status,
        wait_s=before.wait_s if after.wait_s is None else after.wait_s,
        refused=before.refused or after.refused,
    )


def _most(one: Tokens, other: Tokens) -> Tokens:
    """Prompts are compared by their total: what a later event counts as cached, an earlier one counted as new."""
    most = Tokens(*(max(getattr(one, each.name), getattr(other, each.name)) for each in fields(Tokens)))
    return replace(most, input=max(0, max(one.prompt, other.prompt) - most.cache_write - most.cached))


@dataclass
class Meter:
    """Reads one response while it is forwarded."""

    read_event: Callable[[Json], AnswerFacts]
    """The event reader of the response's wire format."""
    streamed: bool
    facts: AnswerFacts = AnswerFacts()
    begun: bool = False
    """Some of the response arrived, not just an error."""
    _rest: bytearray = field(default_factory=bytearray)

    def feed(self, part: bytes) -> None:
        self._rest += part
        if self.streamed:
            *lines, rest = self._rest.split(b"\n")
            self._rest = rest
            for line in lines:
                self._see(bytes(line))
        if len(self._rest) > _MAX_LINE:
            self._rest.clear()
            self.begun = True

    def end(self) -> None:
        self._see(bytes(self._rest))
        self._rest.clear()

    def _see(self, line: bytes) -> None:
        try:
            content = json.loads(line.removeprefix(b"data:"))
        except (ValueError, RecursionError):
            return
        for event in content if isinstance(content, list) else [content]:
            if isinstance(event, dict):
                facts = self.read_event(event)
                self.begun |= not (facts.status or facts.announces)
                self.facts = merged(self.facts, facts)


def status_of(http: int, facts: AnswerFacts) -> int:
    """The status of a response. The HTTP status is more exact than the body's, unless it says nothing, is ambiguous, or
    reports as a rate limit what only a person can resolve."""
    is_vague = http <= _MANY_MEANINGS or (http, facts.status) == (_TOO_MANY, _FORBIDDEN)
    return facts.status if facts.status and is_vague else http


def refusal_of(
    status: int, headers: Mapping[str, str], *, wait_s: float | None = None, now: float
) -> ProviderRefusal | None:
    """Expects lower-case header names. `wait_s`: the wait named in the body."""
    if status not in RETRYABLE:
        return None
    named = named_time(headers, now=now)
    return ProviderRefusal(status, now + wait_s if named is None and wait_s is not None else named)


def count(usage: object, *names: str) -> int:
    """The number at that path of names; 0 if there is none."""
    for name in names:
        usage = usage.get(name) if isinstance(usage, dict) else None
    return usage if isinstance(usage, int) and usage > 0 else 0
