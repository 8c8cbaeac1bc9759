"""Where a set-up may fetch packages from: the registries that the user's own clients are configured with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, urlsplit

from reknit.core.setup.hidden import AnswerFilter, hidden_parts, shown

Scheme = Literal["http", "https"]
_PORTS = {"http": 80, "https": 443}
_MOST_DECODED = 4


@dataclass(frozen=True)
class Origin:
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
    origin: Origin
    path: str = "/"
    """Begins and ends with a slash; a login is for what is below it."""
    login: str = field(default="", repr=False)
    """The `Authorization` header that the registry expects."""

    @property
    def url(self) -> str:
        """Without a login: what a box may see."""
        return f"{self.origin.url}{shown(self.path, self.hidden)}".rstrip("/")

    @property
    def hidden(self) -> tuple[str, ...]:
        """Parts of the path that a box must not see."""
        return hidden_parts(self.path)


@dataclass(frozen=True)
class Refused:
    host: str
    """As a person reads it: the host that was asked for."""


def read_origin(scheme: str, host: str | None, port: int | None) -> Origin | None:
    """None: no host, or neither http nor https."""
    plain = (host or "").lower().removesuffix(".")
    if scheme == "http" and plain:
        return Origin("http", plain, port or _PORTS["http"])
    if scheme == "https" and plain:
        return Origin("https", plain, port or _PORTS["https"])
    return None


def read_target(text: str, tunnel: Origin | None = None) -> tuple[Origin, str] | None:
    """Where a request of a box goes, and its path with the query. `tunnel`: what the box has connected to.

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
    """The target of a CONNECT request: HOST:PORT."""
    target = read_target(f"https://{text}/") if "/" not in text and "@" not in text else None
    return target[0] if target else None


def admit(origin: Origin, path: str, registries: Sequence[Registry]) -> Registry | Refused:
    """The registry whose login a request gets: of those of this origin, the one that is closest to the path."""
    own = [registry for registry in registries if registry.origin == origin]
    if not own:
        return Refused(str(origin))
    asked = path.partition("?")[0]
    if _may_go_up(asked):  # it would leave the path that a login is for
        return Registry(origin)
    plain = unquote(asked)
    around = [registry for registry in own if f"{plain}/".startswith(registry.path)]
    return max(around, key=lambda one: (bool(one.login), len(one.path)), default=Registry(origin))


def _may_go_up(path: str) -> bool:
    """Answer if a server could take it for a way up: some decode twice, know `\\`, or read other characters as dots."""
    for _ in range(_MOST_DECODED):
        path, before = unquote(path), path
        if path == before:
            is_plain = path.isascii() and path.isprintable() and "%" not in path
            return not is_plain or any(part.startswith("..") for part in path.replace("\\", "/").split("/"))
    return True


def answer_filter(origin: Origin, registries: Iterable[Registry], *logins: str) -> AnswerFilter:
    """Return what hides the logins of this origin. `logins`: further ones that it may be sent."""
    own = [registry for registry in registries if registry.origin == origin]
    return AnswerFilter(hidden_at(origin, own), filter(None, (*logins, *(registry.login for registry in own))))


def hidden_at(origin: Origin, registries: Iterable[Registry]) -> tuple[str, ...]:
    own = (registry.hidden for registry in registries if registry.origin == origin)
    return tuple(dict.fromkeys(part for parts in own for part in parts))


def hosts_of(registries: Iterable[Registry]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(registry.origin) for registry in registries))
