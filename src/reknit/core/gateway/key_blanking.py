"""Blanks the key in vendor responses: whole bodies, streamed bodies, and headers."""

import re
from dataclasses import dataclass, field

from reknit.core.text.redact import LONGEST_ESCAPE, encodings, spelling_pattern, unescaped

BLANK = b"[key]"
SHORTEST_KEY = 8
"""A shorter key is a placeholder for a local model, and may be an ordinary word in the response."""

_HALF_AN_ESCAPE = re.compile(rb"(?:\\(?:u[0-9a-fA-F]{0,3})?|%[0-9a-fA-F]?)\Z")
_ESCAPE_BYTES = b'\\u%/"0123456789abcdefABCDEF'


class KeyBlanking:
    """Blanks one key: plain, reversed, in hex and in base64, each also with characters escaped as in JSON or a URL."""

    def __init__(self, key: str) -> None:
        forms = {form.encode() for form in encodings(key)} if len(key) >= SHORTEST_KEY else set()
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        self.pattern = b"|".join(spelling_pattern(form) for form in self._forms)
        self._spelled = re.compile(self.pattern) if forms else None
        self._bytes = bytes({*_ESCAPE_BYTES, *b"".join(self._forms)})
        self._longest = LONGEST_ESCAPE * max(map(len, self._forms), default=0)

    def blanked(self, text: bytes) -> bytes:
        if self._spelled is None or not self._is_in(text):
            return text
        return self._spelled.sub(BLANK, text)

    def _is_in(self, text: bytes) -> bool:
        """A fast check, because almost no text contains the key."""
        plain = unescaped(text)
        return any(form in plain for form in self._forms)

    def held_back(self, text: bytes) -> int:
        """How many bytes at the end may be the start of the key."""
        run = text[len(text.rstrip(self._bytes)) :][-self._longest :] if self._longest else b""
        for start in range(len(run)):
            shown = unescaped(_HALF_AN_ESCAPE.sub(b"", run[start:]))
            if any(form.startswith(shown) for form in self._forms):
                return len(run) - start
        return 0


@dataclass
class BlankedStream:
    """A body that arrives in parts. Only bytes that may be the start of the key wait for the next part."""

    keys: KeyBlanking
    _rest: bytes = field(default=b"", repr=False)

    def feed(self, part: bytes) -> bytes:
        text = self.keys.blanked(self._rest + part)
        cut = len(text) - self.keys.held_back(text)
        self._rest = text[cut:]
        return text[:cut]

    def end(self) -> bytes:
        rest, self._rest = self._rest, b""
        return rest
