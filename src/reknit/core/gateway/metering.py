"""What a model's answer used, and when its provider said `not now`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace

from reknit.core.gateway.retry_after import named_time
from reknit.core.text.json_body import Json

UNREACHABLE = 0
"""Status of a `ProviderRefusal` when the provider gave no answer at all."""

NOT_NOW = frozenset({408, 429, 500, 501, 502, 503, 504, 529})
_MAX_LINE = 8 << 20
_MANY_MEANINGS, _FORBIDDEN, _TOO_MANY = 400, 403, 429


@dataclass(frozen=True)
class ProviderRefusal:
    """The provider refuses for now."""

    status: int
    until: float | None = None
    """Seconds since 1970, when the provider named a time."""


@dataclass(frozen=True)
class Tokens:
    """What one answer counts."""

    input: int = 0
    cache_write: int = 0
    cache_write_short: int = 0
    """Those of the cache writes that are kept for the cheaper, shorter time."""
    cached: int = 0
    output: int = 0
    """Thinking included."""
    searches: int = 0

    @property
    def prompt(self) -> int:
        return self.input + self.cache_write + self.cached


@dataclass(frozen=True)
class AnswerFacts:
    """What one JSON object of an answer says."""

    tokens: Tokens = Tokens()
    """Counts of the whole answer so far."""
    final: bool = False
    """These counts are the last ones."""
    status: int = 0
    """What an error in it stands for; 0: none."""
    wait_s: float | None = None
    """In how many seconds the provider takes requests again, by an error's details."""
    refused: bool = False
    """The model would not do it."""
    announces: bool = False
    """It says only that an answer is to come."""


def merged(before: AnswerFacts, after: AnswerFacts) -> AnswerFacts:
    """Vendors split the counts over events, so the largest of each is kept."""
    return AnswerFacts(
        tokens=_most(before.tokens, after.tokens),
        final=before.final or after.final,
        status=after.status or before.status,
        wait_s=before.wait_s if after.wait_s is None else after.wait_s,
        refused=before.refused or after.refused,
    )


def _most(one: Tokens, other: Tokens) -> Tokens:
    """A prompt is counted as a whole: what a later event calls cached was new in an earlier one."""
    most = Tokens(*(max(getattr(one, each.name), getattr(other, each.name)) for each in fields(Tokens)))
    return replace(most, input=max(0, max(one.prompt, other.prompt) - most.cache_write - most.cached))


@dataclass
class Meter:
    """Reads one answer while it passes."""

    read_event: Callable[[Json], AnswerFacts]
    """Of the answer's wire."""
    streamed: bool
    facts: AnswerFacts = AnswerFacts()
    begun: bool = False
    """More came than an error: some of the answer."""
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
    """What an answer stands for. Its HTTP status is the more exact one, unless it says nothing or many things, or
    calls a limit what only a person can end."""
    is_vague = http <= _MANY_MEANINGS or (http, facts.status) == (_TOO_MANY, _FORBIDDEN)
    return facts.status if facts.status and is_vague else http


def not_now(
    status: int, headers: Mapping[str, str], *, wait_s: float | None = None, now: float
) -> ProviderRefusal | None:
    """Expects lower-case header names. `wait_s`: what the body said."""
    if status not in NOT_NOW:
        return None
    named = named_time(headers, now=now)
    return ProviderRefusal(status, now + wait_s if named is None and wait_s is not None else named)


def count(usage: object, *names: str) -> int:
    """The number at that path of names; 0 when there is none."""
    for name in names:
        usage = usage.get(name) if isinstance(usage, dict) else None
    return usage if isinstance(usage, int) and usage > 0 else 0
