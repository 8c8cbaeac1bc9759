"""What a model's answer used, and when its provider said `not now`."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from reknit.core.agent_call import Limited, Usage

UNREACHABLE = 0
"""Status of a `NotNow` when the provider gave no answer at all."""

_NOT_NOW = frozenset({429, 503, 529})
_STATUS_OF_ERROR_EVENT = {"rate_limit_error": 429, "overloaded_error": 529}
_MAX_LINE = 8 << 20
_DEAREST_USD_A_TOKEN = 15e-6
"""Of an uncached input token of the dearest model: a cap must not be passed because a price is not known."""


@dataclass(frozen=True)
class NotNow:
    """The provider refuses for now."""

    status: int
    until: float | None = None
    """Seconds since 1970, when the provider named a time."""


@dataclass(frozen=True)
class Tokens:
    input: int = 0
    cached: int = 0
    output: int = 0

    @property
    def worth(self) -> int:
        """In uncached input tokens: output is priced five times as high, a cache read at a tenth or less."""
        return self.input + 5 * self.output + self.cached // 10


def dearest_usd(usage: Usage) -> float:
    """What a call may have cost at most, when the agent was killed before it could say."""
    return Tokens(usage.input_tokens, usage.cached_tokens, usage.output_tokens).worth * _DEAREST_USD_A_TOKEN


def not_now(status: int, headers: Mapping[str, str], *, now: float) -> NotNow | None:
    """Expects lower-case header names."""
    if status not in _NOT_NOW:
        return None
    named = _retry_after(headers.get("retry-after", ""), now)
    return NotNow(status, _exhausted_until(headers) if named is None else named)


def _retry_after(text: str, now: float) -> float | None:
    if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text):
        return now + float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return _seconds(moment)


def _exhausted_until(headers: Mapping[str, str]) -> float | None:
    """The latest reset among the windows that have nothing left."""
    resets = [
        _moment(headers.get(f"{window}-reset", ""))
        for name, value in headers.items()
        for window, _, field_name in [name.rpartition("-")]
        if window.startswith("anthropic-ratelimit-")
        and (field_name, value) in {("remaining", "0"), ("status", "rejected")}
    ]
    return max((reset for reset in resets if reset is not None), default=None)


def _moment(text: str) -> float | None:
    if re.fullmatch(r"\d{9,11}", text):
        return float(text)
    try:
        return _seconds(datetime.fromisoformat(text))
    except ValueError:
        return None


def _seconds(moment: datetime) -> float:
    """A time without a zone is UTC, as HTTP has it."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def as_limited(limit: NotNow) -> Limited:
    if limit.status == UNREACHABLE:
        return Limited("unreachable", limit.until)
    return Limited("rate_limited" if limit.status == 429 else "overloaded", limit.until)


@dataclass
class Meter:
    """Reads one answer while it passes. Anthropic splits the counts over two events, so the largest of each is kept."""

    streamed: bool
    tokens: Tokens = Tokens()
    error_status: int = 0
    """The status that an error inside the stream stands for; 0: none."""
    _rest: bytearray = field(default_factory=bytearray)

    def feed(self, part: bytes) -> None:
        self._rest += part
        if self.streamed:
            *lines, rest = self._rest.split(b"\n")
            self._rest = rest
            for line in lines:
                self._see(bytes(line.removeprefix(b"data:")))
        if len(self._rest) > _MAX_LINE:
            self._rest.clear()

    def end(self) -> None:
        self._see(bytes(self._rest.removeprefix(b"data:")))
        self._rest.clear()

    def _see(self, text: bytes) -> None:
        if b'"usage"' not in text and b'"error"' not in text:
            return
        try:
            event = json.loads(text)
        except (ValueError, RecursionError):
            return
        if not isinstance(event, dict):
            return
        error = event.get("error")
        if isinstance(error, dict):
            self.error_status = _STATUS_OF_ERROR_EVENT.get(str(error.get("type")), self.error_status)
        message = event.get("message")
        usage = event.get("usage") or (message.get("usage") if isinstance(message, dict) else None)
        if isinstance(usage, dict):
            self._keep_largest(usage)

    def _keep_largest(self, usage: Mapping[str, object]) -> None:
        fresh = _count(usage, "input_tokens") + _count(usage, "cache_creation_input_tokens")
        self.tokens = Tokens(
            max(self.tokens.input, fresh),
            max(self.tokens.cached, _count(usage, "cache_read_input_tokens")),
            max(self.tokens.output, _count(usage, "output_tokens")),
        )


def _count(usage: Mapping[str, object], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and value > 0 else 0
