"""Translates GitHub's errors into the few kinds of `ForgeFailure`."""

import contextlib
import email.utils
import json
from collections.abc import Mapping, Sequence

from reknit.core.forge.values import ForgeError, ForgeFailure
from reknit.core.text.redact import redact

_NO_TIME_GIVEN_S = 60.0
"""Wait in seconds if GitHub names no time; its documentation asks for at least a minute."""
_MAX_DETAIL_CHARS = 300
_MAX_DIGITS = 12
"""Maximum length of a timestamp; a longer number is not a real time."""


class ApiRefusalError(ForgeError):
    """An error answer from GitHub, with its status: one kind of `ForgeFailure` can have several."""

    def __init__(self, status: int, failure: ForgeFailure) -> None:
        super().__init__(failure)
        self.status = status


def read_failure(status: int, headers: Mapping[str, str], body: str, *, request: str, now: float) -> ForgeFailure:
    """Translate an error answer. `headers` must be case-insensitive; `request` names the request."""
    message = _read_message(body)
    detail = redact(f"{request}: {status} {message}"[:_MAX_DETAIL_CHARS])
    if is_limit(status, headers, message):
        return ForgeFailure("limited", detail, _find_retry_time(headers, now))
    if status >= 500 or status == 408:
        return ForgeFailure("unreachable", detail, _find_retry_time(headers, now) if "retry-after" in headers else None)
    if status == 401:
        return ForgeFailure("login", detail)
    if status in (404, 410):
        return ForgeFailure("missing", detail)
    return ForgeFailure("forbidden", detail)


def read_graphql_failure(
    errors: Sequence[tuple[str, str]], headers: Mapping[str, str], *, request: str, now: float
) -> ForgeFailure:
    """Translate the errors of a GraphQL answer with status 200. `errors`: (type, message) of each."""
    kinds = {kind for kind, _message in errors}
    detail = redact(f"{request}: {'; '.join(message for _kind, message in errors)}"[:_MAX_DETAIL_CHARS])
    if kinds & {"RATE_LIMIT", "RATE_LIMITED"}:
        return ForgeFailure("limited", detail, _find_retry_time(headers, now))
    if "NOT_FOUND" in kinds:
        return ForgeFailure("missing", detail)
    if kinds & {"FORBIDDEN", "INSUFFICIENT_SCOPES", "UNPROCESSABLE"}:
        return ForgeFailure("forbidden", detail)
    return ForgeFailure("unreachable", detail)


def is_limit(status: int, headers: Mapping[str, str], message: str) -> bool:
    """Return True if the answer means a rate limit."""
    if status not in (403, 429):
        return False
    has_limit_headers = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    return has_limit_headers or status == 429 or "rate limit" in message.lower()


def _find_retry_time(headers: Mapping[str, str], now: float) -> float:
    after = headers.get("retry-after", "")
    if after.isdecimal():
        return now + float(after[:_MAX_DIGITS])
    with contextlib.suppress(ValueError):
        return max(now, email.utils.parsedate_to_datetime(after).timestamp())
    reset = headers.get("x-ratelimit-reset", "")[:_MAX_DIGITS]
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(now, float(reset))
    return now + _NO_TIME_GIVEN_S


def _read_message(body: str) -> str:
    try:
        read = json.loads(body)
    except ValueError:
        return ""  # a page of a proxy
    return str(read.get("message", "")) if isinstance(read, dict) else ""
