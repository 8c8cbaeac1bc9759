"""Decides for all wire formats which requests, headers and query parameters pass, and removes the key."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qs

from reknit.core.gateway.wire import Wire
from reknit.core.text.redact import MAX_ESCAPE_CHARS, build_spelling_pattern, list_encodings, unescape

BLANK = b"[key]"
SHORTEST_KEY = 8
"""A shorter key is a placeholder for a local model, and may be an ordinary word in the response."""

_INCOMPLETE_ESCAPE = re.compile(rb"(?:\\(?:u[0-9a-fA-F]{0,3})?|%[0-9a-fA-F]?)\Z")
_ESCAPE_BYTES = b'\\u%/"0123456789abcdefABCDEF'


class KeyBlanking:
    """Blanks one key: plain, reversed, in hex and in base64, each also escaped as in JSON or in a URL."""

    def __init__(self, key: str) -> None:
        forms = {form.encode() for form in list_encodings(key)} if len(key) >= SHORTEST_KEY else set()
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        self.pattern = b"|".join(build_spelling_pattern(form) for form in self._forms)
        self._spelled = re.compile(self.pattern) if forms else None
        self._bytes = bytes({*_ESCAPE_BYTES, *b"".join(self._forms)})
        self._longest = MAX_ESCAPE_CHARS * max(map(len, self._forms), default=0)

    def blank(self, text: bytes) -> bytes:
        if self._spelled is None or not self._contains_key(text):
            return text
        return self._spelled.sub(BLANK, text)

    def _contains_key(self, text: bytes) -> bool:
        """Return True if the text contains the key. The check must be fast: almost no text does."""
        plain = unescape(text)
        return any(form in plain for form in self._forms)

    def count_held_back(self, text: bytes) -> int:
        """Return the number of bytes at the end that may be the start of the key."""
        candidate = text[len(text.rstrip(self._bytes)) :][-self._longest :] if self._longest else b""
        for start in range(len(candidate)):
            unescaped_end = unescape(_INCOMPLETE_ESCAPE.sub(b"", candidate[start:]))
            if any(form.startswith(unescaped_end) for form in self._forms):
                return len(candidate) - start
        return 0


@dataclass
class BlankedStream:
    """A body that arrives in parts. Only bytes that may be the start of the key wait for the next part."""

    keys: KeyBlanking
    _rest: bytes = field(default=b"", repr=False)

    def feed(self, part: bytes) -> bytes:
        text = self.keys.blank(self._rest + part)
        cut = len(text) - self.keys.count_held_back(text)
        self._rest = text[cut:]
        return text[:cut]

    def end(self) -> bytes:
        rest, self._rest = self._rest, b""
        return rest


MAX_BODY = 16 << 20
"""Maximum bytes of a body. A conversation of a million tokens is about 4 MB; the rest is room for images."""
MAX_STRANGERS_BODY = 64 << 10
"""Maximum bytes of the body of a request without the run token."""
MAX_BODIES = 32 << 20
"""Maximum bytes of all bodies in memory."""

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


def classify_request(wire: Wire, method: str, target: str) -> Charge | None:
    """Return whether this request costs money; None if it must not pass at all."""
    line = f"{method} {target.partition('?')[0]}"
    if wire.PRICED.fullmatch(line):
        return "priced"
    return "free" if wire.FREE.fullmatch(line) else None


def build_upstream_target(wire: Wire, target: str) -> str:
    """Keep only the known query parameters, so that a key never passes in the query."""
    path, _, query = target.partition("?")
    allowed = [part for part in query.split("&") if part in wire.QUERIES]
    return f"{path}?{'&'.join(allowed)}" if allowed else path


def lower_names(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the headers with their names in lower case."""
    return {name.lower(): value for name, value in headers}


def select_headers(headers: Iterable[tuple[str, str]], names: frozenset[str]) -> dict[str, str]:
    """Keep the named headers, in lower case and on one line: credentials, cookies and hop-by-hop headers never pass."""
    return {
        name: value
        for name, value in lower_names(headers).items()
        if name in names and value.isprintable() and len(value) <= _MAX_HEADER
    }


def select_answer_headers(headers: Mapping[str, str], names: frozenset[str], keys: KeyBlanking) -> dict[str, str]:
    """Keep the headers of a vendor's response that the box may see. Names must be in lower case."""
    return {
        name: value
        for name, value in headers.items()
        if name in names and ANSWER_VALUES[name].fullmatch(value) and keys.blank(value.encode()) == value.encode()
    }


def read_token(headers: Mapping[str, str], target: str) -> str:
    """Return the token that the box sends as its key, wherever vendors put it. Names must be in lower case."""
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    in_query = parse_qs(target.partition("?")[2]).get("key", [""])[0]
    key = headers.get("x-api-key") or headers.get("x-goog-api-key") or in_query
    return key or (bearer.strip() if kind.lower() == "bearer" else "")
