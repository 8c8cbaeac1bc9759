"""Decides who may see and change the pages: on a laptop, everybody who has the printed address."""

import secrets
import time
from collections.abc import Collection
from typing import Literal, Protocol

from starlette.requests import Request

from reknit.core.dashboard.values import Permission
from reknit.core.runs.view import RunView
from reknit.interfaces.web.sessions import Session, Sessions

COOKIE, LOGIN_COOKIE = "reknit_session", "reknit_login"
LOGIN_S = 600.0
"""Seconds that a person has to log in at the forge."""


class Access(Protocol):
    """Logs people in, and knows their rights."""

    sessions: Sessions
    hosts: frozenset[str]
    """Host headers of this server."""
    origins: frozenset[str]
    is_secure: bool
    """True if browsers reach the server over TLS."""
    same_site: Literal["lax", "strict"]
    """`lax` if a login comes back from another site, whose redirect a strict cookie would not survive."""
    advice: str
    """Said to somebody who is not logged in."""
    login_path: str
    """Address at which a person begins to log in; empty: a printed address does it."""

    def begin(self, request: Request) -> tuple[str, str]:
        """Return the address to which a login leads first, and a cookie that proves where it began. Empty: none."""

    def enter(self, request: Request) -> tuple[str, str]:
        """Finish a login. Return the cookie of the session, or nothing and the reason."""

    def list_repositories(self, session: Session, paths: Collection[str]) -> Collection[str] | None:
        """Return the repositories among these that the person may read; None: all."""

    def get_permission(self, session: Session, run: RunView) -> Permission:
        """Return the permission of a person on the repository of a run."""


class LocalAccess:
    """The one person on this machine who has the address that the command printed. It works once."""

    is_secure = False
    same_site: Literal["lax", "strict"] = "strict"
    advice = "open the address that `reknit serve --dashboard` printed; it works once, a new start prints a new one"
    login_path = ""

    def __init__(self, port: int) -> None:
        self.sessions = Sessions(time.time)
        self.hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))
        self.origins = frozenset(f"http://{host}" for host in self.hosts)
        self.token = secrets.token_urlsafe(32)
        self._is_used = False

    def begin(self, _request: Request) -> tuple[str, str]:
        return "", ""

    def enter(self, request: Request) -> tuple[str, str]:
        token = request.query_params.get("token", "")
        if self._is_used or not secrets.compare_digest(token.encode(), self.token.encode()):
            return "", "a token that is wrong or was used"
        self._is_used = True
        return self.sessions.start("local"), ""

    def list_repositories(self, _session: Session, _paths: Collection[str]) -> None:
        return None

    def get_permission(self, _session: Session, _run: RunView) -> Permission:
        return "write"
