"""Package registries that a set-up may use, and placeholders of the same length for logins in their addresses."""

import base64
import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, urlsplit

from reknit.core.text.redact import MAX_ESCAPE_CHARS, build_spelling_pattern, list_encodings, unescape

_LEAST_CHARS, _LEAST_PASSWORD_CHARS = 12, 8
_WORD = re.compile(r"[A-Z]?[a-z._-]*")
_RUN = re.compile(r"[A-Za-z0-9]{20}")


def find_hidden_parts(path: str) -> tuple[str, ...]:
    """Return the folders of the path that do not look like words.

    One too many does no harm: the proxy puts each back.
    """
    return tuple(dict.fromkeys(part for part in path.split("/") if _may_be_login(part)))


def hide_parts(text: str, parts: Iterable[str]) -> str:
    """Replace the parts by placeholders."""
    for part in parts:
        text = text.replace(part, _to_placeholder(part))
    return text


def restore_parts(text: str, parts: Iterable[str]) -> str:
    """Replace the placeholders by their parts."""
    for part in parts:
        text = text.replace(_to_placeholder(part), part)
    return text


class AnswerFilter:
    """Hides what a box must not see in the answers of one registry, in any spelling; no length changes."""

    def __init__(self, parts: Sequence[str], logins: Iterable[str] = ()) -> None:
        """`parts`: of `hidden_parts`, which stay usable in links. `logins`: `Authorization` headers."""
        self._replacements = {part.lower().encode(): _to_placeholder(part).encode() for part in parts}
        secrets = (*parts, *(value for login in logins for value in _list_secrets(login)))
        forms = {form.lower().encode() for secret in secrets for form in list_encodings(secret)}
        self._forms = sorted(forms, key=len, reverse=True)
        self.is_needed = bool(forms)

    def hide(self, text: bytes) -> bytes:
        plain = unescape(text).lower() if self.is_needed else b""
        return self.pattern.sub(self._replace, text) if any(form in plain for form in self._forms) else text

    def hide_in(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield an answer that arrives in pieces. What may be the start of a secret waits for the next piece."""
        longest_secret = MAX_ESCAPE_CHARS * max(map(len, self._forms), default=0)
        rest = b""
        for chunk in chunks:
            rest = self.hide(rest + chunk)
            if ready := rest[: max(0, len(rest) - longest_secret)]:
                yield ready
                rest = rest[len(ready) :]
        if rest:
            yield rest

    @functools.cached_property
    def pattern(self) -> re.Pattern[bytes]:
        return re.compile(b"|".join(build_spelling_pattern(form, in_any_case=True) for form in self._forms))

    def _replace(self, match: re.Match[bytes]) -> bytes:
        return self._replacements.get(match[0].lower(), b"x" * len(match[0]))


def _list_secrets(login: str) -> list[str]:
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


def _to_placeholder(part: str) -> str:
    """Return a different text for each part.

    Six digits of a hash reveal nothing about a login of twelve characters or more.
    """
    return f"hidden{hashlib.sha256(part.encode()).hexdigest()[:6]}".ljust(len(part), "x")


def _may_be_login(part: str) -> bool:
    if len(part) < _LEAST_CHARS:
        return False
    has_mixed_case = part != part.lower() and part != part.upper()
    return any(character.isdigit() for character in part) or has_mixed_case or _RUN.search(part) is not None


Scheme = Literal["http", "https"]
_PORTS = {"http": 80, "https": 443}
_MAX_DECODINGS = 4


@dataclass(frozen=True)
class Origin:
    """Scheme, host and port of a server."""

    scheme: Scheme
    host: str
    """In lower case, without a dot at the end."""
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self}"


@dataclass(frozen=True)
class Registry:
    """A package registry of the user's own clients, with its login."""

    origin: Origin
    path: str = "/"
    """Begins and ends with a slash; a login is for what is below it."""
    login: str = field(default="", repr=False)
    """The `Authorization` header that the registry expects."""

    @property
    def url(self) -> str:
        """Return the address without a login: a box may see it."""
        return f"{self.origin.url}{hide_parts(self.path, self.hidden)}".rstrip("/")

    @property
    def hidden(self) -> tuple[str, ...]:
        """Return the parts of the path that a box must not see."""
        return find_hidden_parts(self.path)


@dataclass(frozen=True)
class Refused:
    """A request that goes to no registry of the user."""

    host: str
    """The requested host, for people."""


def read_origin(scheme: str, host: str | None, port: int | None) -> Origin | None:
    """Return the origin; None: no host, or neither http nor https."""
    plain = (host or "").lower().removesuffix(".")
    if scheme == "http" and plain:
        return Origin("http", plain, port or _PORTS["http"])
    if scheme == "https" and plain:
        return Origin("https", plain, port or _PORTS["https"])
    return None


def read_target(text: str, tunnel: Origin | None = None) -> tuple[Origin, str] | None:
    """Return the origin of a box's request, and its path with the query. `tunnel`: the target of the box's CONNECT.

    None: it cannot be understood, so it is refused.
    """
    if not text.isascii() or not text.isprintable() or " " in text:
        return None
    if text.startswith("/"):
        return (tunnel, text) if tunnel else None
    try:
        parts = urlsplit(text)
        origin = read_origin(parts.scheme.lower(), parts.hostname, parts.port)
    except ValueError:
        return None
    if origin is None or (tunnel and origin != tunnel):
        return None
    return origin, f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"


def read_connect(text: str) -> Origin | None:
    """Read the target of a CONNECT request: HOST:PORT."""
    target = read_target(f"https://{text}/") if "/" not in text and "@" not in text else None
    return target[0] if target else None


def find_registry(origin: Origin, path: str, registries: Sequence[Registry]) -> Registry | Refused:
    """Return the registry whose login a request gets: of those of this origin, the one closest to the path."""
    own = [registry for registry in registries if registry.origin == origin]
    if not own:
        return Refused(str(origin))
    requested_path = path.partition("?")[0]
    if _may_go_up(requested_path):  # it would leave the path that a login is for
        return Registry(origin)
    plain = unquote(requested_path)
    around = [registry for registry in own if f"{plain}/".startswith(registry.path)]
    return max(around, key=lambda one: (bool(one.login), len(one.path)), default=Registry(origin))


def _may_go_up(path: str) -> bool:
    """Return True if a server could take the path for a way up.

    Some servers decode twice, treat a backslash as a slash, or read other characters as dots.
    """
    for _ in range(_MAX_DECODINGS):
        path, before = unquote(path), path
        if path == before:
            is_plain = path.isascii() and path.isprintable() and "%" not in path
            return not is_plain or any(part.startswith("..") for part in path.replace("\\", "/").split("/"))
    return True


def to_answer_filter(origin: Origin, registries: Iterable[Registry], *logins: str) -> AnswerFilter:
    """Return the filter for the logins of this origin. `logins`: further ones that it may receive."""
    own = [registry for registry in registries if registry.origin == origin]
    return AnswerFilter(list_hidden_parts(origin, own), filter(None, (*logins, *(registry.login for registry in own))))


def list_hidden_parts(origin: Origin, registries: Iterable[Registry]) -> tuple[str, ...]:
    """Return the hidden parts of all registries of this origin."""
    own = (registry.hidden for registry in registries if registry.origin == origin)
    return tuple(dict.fromkeys(part for parts in own for part in parts))


def list_hosts(registries: Iterable[Registry]) -> tuple[str, ...]:
    """Return the hosts of the registries, without duplicates."""
    return tuple(dict.fromkeys(str(registry.origin) for registry in registries))
