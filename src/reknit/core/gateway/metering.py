"""Measures a response: its tokens, its status, and when its provider accepts requests again."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from reknit.core.text.untrusted_input import Json

_SPAN = re.compile(r"(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9}(?:\.\d{1,12})?)s)?(?:(\d{1,9})ms)?")
_UNIT_SECONDS = (86_400.0, 3_600.0, 60.0, 1.0, 0.001)


def read_retry_time(headers: Mapping[str, str], *, now: float) -> float | None:
    """Read from headers when the provider accepts requests again, as Unix time. Names must be in lower case.

    The provider's own `retry-after` takes precedence.
    """
    retry_time = _parse_retry_after(headers.get("retry-after", ""), now)
    if retry_time is not None:
        return retry_time
    resets = [
        reset for reset in (*_list_anthropic_resets(headers), *_list_openai_resets(headers, now)) if reset is not None
    ]
    return max(resets, default=None)


def parse_span_s(text: object) -> float | None:
    """Parse a duration as vendors write it: `34.07s`, `6m0s`, `20ms`. Return seconds."""
    match = _SPAN.fullmatch(text) if isinstance(text, str) and text else None
    if match is None:
        return None
    return sum(float(count or 0) * unit_s for count, unit_s in zip(match.groups(), _UNIT_SECONDS, strict=True))


def _parse_retry_after(text: str, now: float) -> float | None:
    if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text):
        return now + float(text)
    try:
        return _to_unix_time(parsedate_to_datetime(text))
    except (ValueError, OverflowError):
        return None


def _list_anthropic_resets(headers: Mapping[str, str]) -> list[float | None]:
    """Return the reset times of the exhausted windows."""
    return [
        _parse_moment(headers.get(f"{window}-reset", ""))
        for name, value in headers.items()
        for window, _, field_name in [name.rpartition("-")]
        if window.startswith("anthropic-ratelimit-")
        and (field_name, value) in {("remaining", "0"), ("status", "rejected")}
    ]


def _list_openai_resets(headers: Mapping[str, str], now: float) -> list[float | None]:
    spans = [
        parse_span_s(headers.get(f"x-ratelimit-reset-{window}", ""))
        for window in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{window}") == "0"
    ]
    return [None if span is None else now + span for span in spans]


def _parse_moment(text: str) -> float | None:
    if re.fullmatch(r"\d{9,11}", text):
        return float(text)
    try:
        return _to_unix_time(datetime.fromisoformat(text))
    except ValueError:
        return None


def _to_unix_time(moment: datetime) -> float:
    """Convert a moment; without a zone it is UTC, as in HTTP."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


UNREACHABLE = 0
"""Status of a `ProviderRefusal` if the provider did not respond at all."""

RETRYABLE = frozenset({408, 429, 500, 501, 502, 503, 504, 529})
_MAX_LINE_BYTES = 8 << 20
_BAD_REQUEST, _FORBIDDEN, _TOO_MANY = 400, 403, 429


@dataclass(frozen=True)
class ProviderRefusal:
    """The provider refuses requests temporarily."""

    status: int
    until: float | None = None
    """Unix time, if the provider named one."""


@dataclass(frozen=True)
class Tokens:
    """The token counts of one response."""

    input: int = 0
    cache_write: int = 0
    cache_write_short: int = 0
    """The part of `cache_write` with the shorter and cheaper lifetime."""
    cached: int = 0
    output: int = 0
    """Tokens of the output, with thinking."""
    searches: int = 0

    @property
    def prompt(self) -> int:
        return self.input + self.cache_write + self.cached


@dataclass(frozen=True)
class AnswerFacts:
    """Counts, status and refusal in one JSON object of a response."""

    tokens: Tokens = Tokens()
    """Counts of the whole response so far."""
    final: bool = False
    """True if no later event changes these counts."""
    status: int = 0
    """The HTTP status that an error in the object corresponds to; 0: no error."""
    wait_s: float | None = None
    """Seconds until the provider accepts requests again, from an error's details."""
    refused: bool = False
    """True if the model refused to answer."""
    announces: bool = False
    """True if it only announces that a response will follow."""


def merge_facts(before: AnswerFacts, after: AnswerFacts) -> AnswerFacts:
    """Merge the facts of two events. The larger count wins, because vendors spread the counts over events."""
    return AnswerFacts(
        tokens=_merge_tokens(before.tokens, after.tokens),
        final=before.final or after.final,
        status=after.status or before.status,
        wait_s=before.wait_s if after.wait_s is None else after.wait_s,
        refused=before.refused or after.refused,
    )


def _merge_tokens(one: Tokens, other: Tokens) -> Tokens:
    """Merge prompts by their total: an earlier event may count tokens as new that a later one counts as cached."""
    largest = Tokens(*(max(getattr(one, kind.name), getattr(other, kind.name)) for kind in fields(Tokens)))
    return replace(largest, input=max(0, max(one.prompt, other.prompt) - largest.cache_write - largest.cached))


@dataclass
class Meter:
    """Reads one response while it is forwarded."""

    read_event: Callable[[Json], AnswerFacts]
    """The event reader of the response's wire format."""
    streamed: bool
    facts: AnswerFacts = AnswerFacts()
    is_started: bool = False
    """True if part of a response arrived that is not just an error."""
    _rest: bytearray = field(default_factory=bytearray)

    def feed(self, part: bytes) -> None:
        self._rest += part
        if self.streamed:
            *lines, rest = self._rest.split(b"\n")
            self._rest = rest
            for line in lines:
                self._read_line(bytes(line))
        if len(self._rest) > _MAX_LINE_BYTES:
            self._rest.clear()
            self.is_started = True

    def end(self) -> None:
        self._read_line(bytes(self._rest))
        self._rest.clear()

    def _read_line(self, line: bytes) -> None:
        try:
            content = json.loads(line.removeprefix(b"data:"))
        except (ValueError, RecursionError):
            return
        for event in content if isinstance(content, list) else [content]:
            if isinstance(event, dict):
                facts = self.read_event(event)
                self.is_started |= not (facts.status or facts.announces)
                self.facts = merge_facts(self.facts, facts)


def find_status(http: int, facts: AnswerFacts) -> int:
    """Return the status of a response.

    The HTTP status is more exact than the body's, with two exceptions: a status up to 400, which is ambiguous, and a
    rate limit that the body calls forbidden, which only a person can resolve.
    """
    is_vague = http <= _BAD_REQUEST or (http, facts.status) == (_TOO_MANY, _FORBIDDEN)
    return facts.status if facts.status and is_vague else http


def to_refusal(
    status: int, headers: Mapping[str, str], *, wait_s: float | None = None, now: float
) -> ProviderRefusal | None:
    """Return the temporary refusal that the status means, if any. `wait_s`: the wait that the body names.

    Header names must be in lower case.
    """
    if status not in RETRYABLE:
        return None
    retry_time = read_retry_time(headers, now=now)
    return ProviderRefusal(status, now + wait_s if retry_time is None and wait_s is not None else retry_time)


def read_count(usage: object, *names: str) -> int:
    """Return the number at this path of names; 0 if there is none."""
    for name in names:
        usage = usage.get(name) if isinstance(usage, dict) else None
    return usage if isinstance(usage, int) and usage > 0 else 0
