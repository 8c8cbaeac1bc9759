"""The login of a server: with the forge, which also says what each person may see and do."""

import secrets
import time
from collections.abc import Callable, Collection
from typing import Literal
from urllib.parse import urlsplit

from starlette.requests import Request

from reknit.adapters.github.login import GitHubLogin
from reknit.core.dashboard.values import Permission
from reknit.core.forge.values import ForgeError
from reknit.core.runs.view import RunView, get_task, has_pull
from reknit.interfaces.web.access import LOGIN_COOKIE, LOGIN_S
from reknit.interfaces.web.sessions import Session, Sessions

RIGHTS_S = 300.0
"""Seconds after which the forge is asked again for a right."""
_MAX_ENTRIES = 10_000
Clock = Callable[[], float]


class ForgeAccess:
    """People log in with the forge, and have here the rights that they have there."""

    same_site: Literal["lax", "strict"] = "lax"
    advice = "log in to see the runs of the repositories that you may read"
    login_path = "/login"

    def __init__(
        self, public_url: str, login: GitHubLogin, find_key: Callable[[str], str], clock: Clock = time.time
    ) -> None:
        """`find_key`: returns `host/owner/name` of the clone at a path, or nothing."""
        address = urlsplit(public_url)
        self.sessions = Sessions(clock)
        self.hosts = frozenset({address.netloc.lower()})
        self.origins = frozenset({f"{address.scheme}://{address.netloc.lower()}"})
        self.is_secure = address.scheme == "https"
        self._callback = f"{public_url.rstrip('/')}/enter"
        self._login, self._find_key, self._clock = login, find_key, clock
        self._states: dict[str, float] = {}
        self._rights: dict[tuple[str, str], tuple[float, Permission]] = {}

    def begin(self, _request: Request) -> tuple[str, str]:
        state = secrets.token_urlsafe(32)
        _make_room(self._states)
        self._states[state] = self._clock() + LOGIN_S
        return self._login.build_address(state, self._callback), state

    def enter(self, request: Request) -> tuple[str, str]:
        state, code = request.query_params.get("state", ""), request.query_params.get("code", "")
        begun_here = secrets.compare_digest(request.cookies.get(LOGIN_COOKIE, "").encode(), state.encode())
        if not begun_here or self._states.pop(state, 0.0) <= self._clock():
            return "", "a login that did not begin in this browser, or is too old"
        try:
            token = self._login.exchange_code(code, self._callback)
            return self.sessions.start(self._login.fetch_name(token), token), ""
        except ForgeError:
            return "", "the forge did not confirm the login"

    def list_repositories(self, session: Session, paths: Collection[str]) -> Collection[str]:
        return [path for path in paths if self._ask(session, self._find_slug(path)) != "none"]

    def get_permission(self, session: Session, run: RunView) -> Permission:
        slugs = [self._find_slug(run.repository)]
        if has_pull(run):
            place = get_task(run).get("place", {})
            slugs.append(str(place.get("slug", "")).lower() if place.get("api") == self._login.api else "")
        permissions = {self._ask(session, slug) for slug in slugs}
        return next(permission for permission in ("none", "read", "write") if permission in permissions)

    def _find_slug(self, path: str) -> str:
        host, _, slug = self._find_key(path).partition("/")
        return slug if host == self._login.host.lower() else ""

    def _ask(self, session: Session, slug: str) -> Permission:
        """Return the right of a person, at most some minutes old. Without an answer of the forge there is none."""
        if not slug:
            return "none"
        key = (session.forge_token, slug)
        until, permission = self._rights.get(key, (0.0, "none"))
        if until > self._clock():
            return permission
        try:
            permission = self._login.fetch_permission(session.forge_token, slug)
        except ForgeError:
            return "none"
        _make_room(self._rights)
        self._rights[key] = self._clock() + RIGHTS_S, permission
        return permission


def _make_room(table: dict[str, float] | dict[tuple[str, str], tuple[float, Permission]]) -> None:
    """Keep a table bounded: everybody can begin a login."""
    if len(table) >= _MAX_ENTRIES:
        table.clear()
