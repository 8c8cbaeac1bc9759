"""Who a token belongs to: users, and an App that proves itself by a signed JWT and gets tokens for an hour."""

import base64
import binascii
import functools
import time
from dataclasses import dataclass, field
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


@dataclass(frozen=True)
class Person:
    """Somebody on GitHub; a bot's login is written without its `[bot]`."""

    login: str
    is_bot: bool = False

    @property
    def rest_login(self) -> str:
        return f"{self.login}[bot]" if self.is_bot else self.login


NOBODY = Person("")


class BadCredentialsError(Exception):
    """A token that is unknown, over or revoked: a 401."""


@dataclass
class App:
    """A GitHub App that is installed on every repository of the hub."""

    id: int = 4711
    slug: str = "reknit"
    installation_id: int = 815
    lifetime_s: float = 3600
    """How long the tokens are good that it is given from now on."""
    exchanges: int = 0
    expiry: dict[str, float] = field(default_factory=dict)

    @property
    def private_key(self) -> str:
        return _keys()[0]

    def exchange(self) -> tuple[str, float]:
        """A new installation token, and when it ends."""
        self.exchanges += 1
        token, until = f"ghs_{self.slug}{self.exchanges}", time.time() + self.lifetime_s
        self.expiry[token] = until
        return token, until

    def expire(self) -> None:
        """Every token it has been given so far is over."""
        self.expiry = dict.fromkeys(self.expiry, 0.0)

    def verify(self, proof: str) -> None:
        try:
            claims: dict[str, Any] = jwt.decode(
                proof, _keys()[1], ["RS256"], issuer=str(self.id), options={"require": ["exp", "iat", "iss"]}
            )
        except jwt.InvalidTokenError as problem:
            raise BadCredentialsError(f"A JSON web token could not be decoded: {problem}") from problem
        if claims["exp"] - time.time() > 600:
            raise BadCredentialsError("'Expiration time' claim ('exp') is too far in the future")


@functools.cache
def _keys() -> tuple[str, str]:
    """Made once a process: a key takes longer than a hub."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()


@dataclass
class Tokens:
    app: App = field(default_factory=App)
    users: dict[str, str] = field(default_factory=dict)
    """token -> login"""

    def give(self, login: str) -> str:
        token = f"ghp_{login}{len(self.users) + 1}"
        self.users[token] = login
        return token

    def owner(self, token: str) -> Person:
        """Nobody when there is no token at all."""
        if not token:
            return NOBODY
        if token in self.users:
            return Person(self.users[token])
        if self.app.expiry.get(token, 0.0) > time.time():
            return Person(self.app.slug, is_bot=True)
        raise BadCredentialsError("Bad credentials")


def token_in(header: str) -> str:
    """The secret of an `Authorization` header: `Bearer`, `token`, or git's `Basic` with it as the password."""
    kind, _, value = header.strip().partition(" ")
    if kind.lower() != "basic":
        return value.strip()
    try:
        name, _, password = base64.b64decode(value).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return value
    return name if password in ("", "x-oauth-basic") else password
