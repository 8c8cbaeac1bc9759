"""Gateway decisions that do not depend on the wire format: which requests may leave a box, and which parts of them."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal
from urllib.parse import parse_qs

from reknit.core.gateway.key_blanking import KeyBlanking
from reknit.core.gateway.wire import Wire

MAX_BODY = 16 << 20
"""A conversation of a million tokens is about 4 MB; the rest leaves room for images."""
MAX_STRANGERS_BODY = 64 << 10
"""For a request without the run token."""
MAX_BODIES = 32 << 20
"""For all bodies held in memory at once."""

OVER_BUDGET = "not enough budget left"

_MAX_HEADER = 4096
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Allowed values of the headers that a wire passes to the box. A header with any other value is dropped.
ANSWER_VALUES: Mapping[str, re.Pattern[str]] = {
    "content-type": re.compile(
        r"(?:application/json|text/(?:event-stream|html|plain))(?:; ?charset=\"?utf-8\"?)?", re.IGNORECASE
    ),
    "request-id": _REQUEST_ID,
    "retry-after": re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,6})?|[A-Za-z]{3}, [0-9]{2} [A-Za-z]{3} [0-9]{4} [0-9:]{8} GMT"),
    "retry-after-ms": re.compile(r"[0-9]{1,13}(?:\.[0-9]{1,6})?"),
    "x-request-id": _REQUEST_ID,
    "x-should-retry": re.compile(r"true|false"),
}

Charge = Literal["priced", "free"]


def charge_of(wire: Wire, method: str, target: str) -> Charge | None:
    """Whether this request line costs money; None if it must not pass at all."""
    line = f"{method} {target.partition('?')[0]}"
    if wire.PRICED.fullmatch(line):
        return "priced"
    return "free" if wire.FREE.fullmatch(line) else None


def upstream_target(wire: Wire, target: str) -> str:
    """Keeps only the known query parameters, so that a key never passes in the query."""
    path, _, query = target.partition("?")
    known = [part for part in query.split("&") if part in wire.QUERIES]
    return f"{path}?{'&'.join(known)}" if known else path


def lower(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The headers, with their names in lower case."""
    return {name.lower(): value for name, value in headers}


def chosen(headers: Iterable[tuple[str, str]], names: frozenset[str]) -> dict[str, str]:
    """Only the named headers, in lower case and on one line: credentials, cookies and hop-by-hop headers never pass."""
    return {
        name: value
        for name, value in lower(headers).items()
        if name in names and value.isprintable() and len(value) <= _MAX_HEADER
    }


def answer_headers(headers: Mapping[str, str], names: frozenset[str], keys: KeyBlanking) -> dict[str, str]:
    """The headers of a vendor's response that the box may see. Expects lower-case names."""
    return {
        name: value
        for name, value in headers.items()
        if name in names and ANSWER_VALUES[name].fullmatch(value) and keys.blanked(value.encode()) == value.encode()
    }


def presented_token(headers: Mapping[str, str], target: str) -> str:
    """The token that the box presents as its key, wherever the vendor's clients put it. Expects lower-case names."""
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    in_query = parse_qs(target.partition("?")[2]).get("key", [""])[0]
    shown = headers.get("x-api-key") or headers.get("x-goog-api-key") or in_query
    return shown or (bearer.strip() if kind.lower() == "bearer" else "")
