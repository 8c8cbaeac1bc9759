"""Parts of a registry's address that may be a login: a box sees other text of the same length in their place."""

import base64
import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from reknit.core.text.redact import LONGEST_ESCAPE, encodings, spelling_pattern, unescaped

_LEAST_CHARS, _LEAST_PASSWORD_CHARS = 12, 8
_WORD = re.compile(r"[A-Z]?[a-z._-]*")
_RUN = re.compile(r"[A-Za-z0-9]{20}")


def hidden_parts(path: str) -> tuple[str, ...]:
    """Folders of the path that do not look like words. One too many does no harm: the proxy puts each back."""
    return tuple(dict.fromkeys(part for part in path.split("/") if _may_be_login(part)))


def shown(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        text = text.replace(part, _instead_of(part))
    return text


def restored(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        text = text.replace(_instead_of(part), part)
    return text


class AnswerFilter:
    """Hides what a box must not see in the answers of one registry, in any spelling; no length changes."""

    def __init__(self, parts: Sequence[str], logins: Iterable[str] = ()) -> None:
        """`parts`: of `hidden_parts`, which stay usable in links. `logins`: `Authorization` headers."""
        self._replacements = {part.lower().encode(): _instead_of(part).encode() for part in parts}
        secrets = (*parts, *(value for login in logins for value in _secrets_of(login)))
        forms = {form.lower().encode() for secret in secrets for form in encodings(secret)}
        self._forms = sorted(forms, key=len, reverse=True)
        self.is_needed = bool(forms)

    def hide(self, text: bytes) -> bytes:
        plain = unescaped(text).lower() if self.is_needed else b""
        return self.pattern.sub(self._replace, text) if any(form in plain for form in self._forms) else text

    def hide_in(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield an answer that arrives in pieces. What may be the start of a secret waits for the next piece."""
        most_held = LONGEST_ESCAPE * max(map(len, self._forms), default=0)
        rest = b""
        for chunk in chunks:
            rest = self.hide(rest + chunk)
            if ready := rest[: max(0, len(rest) - most_held)]:
                yield ready
                rest = rest[len(ready) :]
        if rest:
            yield rest

    @functools.cached_property
    def pattern(self) -> re.Pattern[bytes]:
        return re.compile(b"|".join(spelling_pattern(form, in_any_case=True) for form in self._forms))

    def _replace(self, match: re.Match[bytes]) -> bytes:
        return self._replacements.get(match[0].lower(), b"x" * len(match[0]))


def _secrets_of(login: str) -> list[str]:
    """Return the parts of a login that no answer may repeat. A password that is a word stays: packages have it too."""
    kind, _, value = login.partition(" ")
    try:
        both = base64.b64decode(value).decode("utf-8", "replace") if kind == "Basic" else value
    except ValueError:  # the client's own setting; the registry says what is wrong with it
        both = value
    user, _, password = both.partition(":")
    secret = password or user
    has_secret = len(secret) >= _LEAST_PASSWORD_CHARS and not _WORD.fullmatch(secret)
    return [*([value.rstrip("=")] if len(value) >= _LEAST_CHARS else []), *([secret] if has_secret else [])]


def _instead_of(part: str) -> str:
    """Different for different parts; six digits of a hash say nothing about a login of twelve characters or more."""
    return f"hidden{hashlib.sha256(part.encode()).hexdigest()[:6]}".ljust(len(part), "x")


def _may_be_login(part: str) -> bool:
    if len(part) < _LEAST_CHARS:
        return False
    has_mixed_case = part != part.lower() and part != part.upper()
    return any(character.isdigit() for character in part) or has_mixed_case or _RUN.search(part) is not None
