"""Reads from a provider's headers when it accepts requests again after a refusal; one reader for all vendors."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SPAN = re.compile(r"(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9}(?:\.\d{1,12})?)s)?(?:(\d{1,9})ms)?")
_SPAN_S = (86_400.0, 3_600.0, 60.0, 1.0, 0.001)


def named_time(headers: Mapping[str, str], *, now: float) -> float | None:
    """As Unix time. The provider's own `retry-after` takes precedence. Expects lower-case header names."""
    named = _retry_after(headers.get("retry-after", ""), now)
    if named is not None:
        return named
    resets = [reset for reset in (*_anthropic(headers), *_openai(headers, now)) if reset is not None]
    return max(resets, default=None)


def span_s(text: object) -> float | None:
    """A duration as vendors write it: `34.07s`, `6m0s`, `20ms`."""
    match = _SPAN.fullmatch(text) if isinstance(text, str) and text else None
    if match is None:
        return None
    return sum(float(count or 0) * unit_s for count, unit_s in zip(match.groups(), _SPAN_S, strict=True))


def _retry_after(text: str, now: float) -> float | None:
    if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text):
        return now + float(text)
    try:
        return _seconds(parsedate_to_datetime(text))
    except (ValueError, OverflowError):
        return None


def _anthropic(headers: Mapping[str, str]) -> list[float | None]:
    """The reset times of the exhausted windows."""
    return [
        _moment(headers.get(f"{window}-reset", ""))
        for name, value in headers.items()
        for window, _, field_name in [name.rpartition("-")]
        if window.startswith("anthropic-ratelimit-")
        and (field_name, value) in {("remaining", "0"), ("status", "rejected")}
    ]


def _openai(headers: Mapping[str, str], now: float) -> list[float | None]:
    spans = [
        span_s(headers.get(f"x-ratelimit-reset-{window}", ""))
        for window in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{window}") == "0"
    ]
    return [None if span is None else now + span for span in spans]


def _moment(text: str) -> float | None:
    if re.fullmatch(r"\d{9,11}", text):
        return float(text)
    try:
        return _seconds(datetime.fromisoformat(text))
    except ValueError:
        return None


def _seconds(moment: datetime) -> float:
    """A time without a zone is UTC, as in HTTP."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
