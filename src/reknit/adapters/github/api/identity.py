"""The identity of reknit on GitHub: a user with a token, or an App installation whose token is renewed."""

import hashlib
import threading
import time
from typing import TYPE_CHECKING, Protocol

from reknit.adapters.github.api.credentials import AppInstallation, Credentials, UserToken, parse_host
from reknit.adapters.github.api.rest_models import InstallationToken, parse_answer

if TYPE_CHECKING:
    from reknit.adapters.github.api.client import Client

_RENEWED_BEFORE_S = 300.0
"""Seconds before a token expires at which it is renewed: a push with it can take some minutes."""


class Identity(Protocol):
    """The account that makes requests, and its token."""

    is_app: bool

    @property
    def account(self) -> str:
        """Account whose rate limit is used; it reveals nothing about the token."""

    def token(self) -> str: ...

    def renew(self, refused: str) -> bool:
        """Drop the token that the server refused. Return True if `token` can give a new one."""

    def may_write(self) -> bool | None:
        """Return whether it has permission to write code; None if that depends on the repository."""

    def close(self) -> None: ...


def make_identity(api: str, credentials: Credentials) -> Identity:
    """Return the identity for these credentials."""
    if isinstance(credentials, UserToken):
        return _Person(api, credentials)
    return _App(api, credentials)


class _Person:
    is_app = False

    def __init__(self, api: str, credentials: UserToken) -> None:
        self._token = credentials.token
        self.account = f"github:{parse_host(api)}:{hashlib.sha256(self._token.encode()).hexdigest()[:12]}"

    def token(self) -> str:
        return self._token

    def renew(self, refused: str) -> bool:  # noqa: ARG002
        return False

    def may_write(self) -> None:
        return None

    def close(self) -> None:
        return


class _App:
    is_app = True

    def __init__(self, api: str, credentials: AppInstallation) -> None:
        self._api, self._credentials = api, credentials
        self.account = f"github:{parse_host(api)}:installation-{credentials.installation}"
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._token, self._until, self._may_write = "", 0.0, False

    def token(self) -> str:
        with self._lock:
            if not self._token or time.time() > self._until - _RENEWED_BEFORE_S:
                self._fetch_token()
            return self._token

    def renew(self, refused: str) -> bool:
        with self._lock:
            if self._token == refused:
                self._token = ""
        return True

    def may_write(self) -> bool:
        self.token()
        return self._may_write

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def _fetch_token(self) -> None:
        from reknit.adapters.github.api.client import Client

        self._client = self._client or Client(self._api, self._credentials)
        path = f"/app/installations/{self._credentials.installation}/access_tokens"
        answer = self._client.send("POST", path, {})
        grant = parse_answer(InstallationToken, answer.body, path)
        self._token, self._until = grant.token, grant.expires_at.timestamp()
        self._may_write = grant.permissions.contents == "write"
