"""Admits or refuses each request for a page, records the refusals, and adds the headers that protect a page."""

import re
import time
from collections.abc import Awaitable, Callable
from functools import partial
from urllib.parse import parse_qs

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from reknit.app.dashboard import Dashboard
from reknit.core.dashboard.access import Request as Asked
from reknit.core.dashboard.access import has_permission, refuse_action, refuse_host
from reknit.core.dashboard.values import Action, AuditEntry, Permission
from reknit.core.runs.view import RunView
from reknit.interfaces.web.access import COOKIE, Access
from reknit.interfaces.web.server import get_connection
from reknit.interfaces.web.sessions import Session

Endpoint = Callable[[Request, Session], Awaitable[Response]]
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without a referrer, browsers would not send the origin of a form either
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_RUN_ID = re.compile(r"r-[0-9a-z-]{1,40}")
_MAX_FORM = 4 << 10
_MAX_RECORDS, _WINDOW_S = 300, 60.0
"""Refusals recorded per minute: a stranger must not fill the database. The others are only in the log."""


class RefusedError(Exception):
    """A request that is refused, with our own words."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Gate:
    """Decides about every request for a page."""

    def __init__(
        self, dashboard: Dashboard, access: Access, render_refusal: Callable[[Session | None, RefusedError], Response]
    ) -> None:
        self.dashboard, self.access = dashboard, access
        self._render_refusal = render_refusal
        self._records = 0
        self._window_ends_at = 0.0

    def read(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that only a person who is logged in reaches."""

        async def answer(request: Request, session: Session | None) -> Response:
            if session is None:
                raise RefusedError(401, "not logged in")
            return await endpoint(request, session)

        return self.guard("read", answer)

    def act(self, action: Action, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint for a form that only a person with the right permission can send from our own page."""

        async def answer(request: Request, session: Session | None) -> Response:
            form = await _read_form(request)
            run = await self._look_up(request) if session else None
            permission: Permission = "none"
            if session and run:
                permission = await to_thread.run_sync(self.access.get_permission, session, run)
            asked = Asked(
                host=request.headers.get("host", ""),
                origin=request.headers.get("origin", ""),
                fetch_site=request.headers.get("sec-fetch-site", ""),
                is_logged_in=session is not None,
                has_form_token=bool(session and session.has_form_token(form.get("form_token", ""))),
                permission=permission,
            )
            reason = refuse_action(asked, action, self.access.origins, self.access.hosts)
            if reason or session is None:
                raise RefusedError(401 if session is None else 403, reason)
            await self.record(request, session.who, action, "accepted", "")
            return await endpoint(request, session)

        return self.guard(action, answer)

    def guard(
        self, action: Action, answer: Callable[[Request, Session | None], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that checks the Host header, records refusals, and protects what it answers."""

        async def endpoint(request: Request) -> Response:
            session = self.access.sessions.find(request.cookies.get(COOKIE, ""))
            try:
                if why := refuse_host(request.headers.get("host", ""), self.access.hosts):
                    raise RefusedError(421, why)
                if session:
                    get_connection(request).verify()
                response = await answer(request, session)
            except RefusedError as refusal:
                await self.record(request, session.who if session else "", action, "refused", refusal.reason)
                response = self._render_refusal(session, refusal)
            except ClientDisconnect:
                return Response()  # nobody reads it
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        return endpoint

    async def find_readable(self, request: Request, session: Session) -> tuple[RunView, Permission]:
        """Return the run that the address names, and the permission. One that may not be read seems not to exist."""
        run = await self._look_up(request)
        permission = await to_thread.run_sync(self.access.get_permission, session, run) if run else "none"
        if run is None or not has_permission(permission, "read"):
            raise RefusedError(404, "there is no such run")
        return run, permission

    async def _look_up(self, request: Request) -> RunView | None:
        run_id = _get_run_id(request)
        return await to_thread.run_sync(self.dashboard.find_run, run_id) if run_id else None

    async def record(self, request: Request, who: str, action: str, outcome: str, reason: str) -> None:
        """Write one line of the audit trail."""
        now = time.time()
        if outcome == "refused":
            if now >= self._window_ends_at:
                self._records, self._window_ends_at = 0, now + _WINDOW_S
            self._records += 1
            if self._records > _MAX_RECORDS:
                return
        source = request.client.host if request.client else ""
        entry = AuditEntry(
            now, who, source, action, _get_run_id(request), "refused" if outcome == "refused" else "accepted", reason
        )
        await to_thread.run_sync(partial(self.dashboard.record, entry))


def _get_run_id(request: Request) -> str:
    """Return the id in the address; empty if it cannot be one."""
    run_id = str(request.path_params.get("run_id", ""))
    return run_id if _RUN_ID.fullmatch(run_id) else ""


async def _read_form(request: Request) -> dict[str, str]:
    """Return the first value of each field of a small form."""
    length = request.headers.get("content-length", "")
    if "transfer-encoding" in request.headers or not length:
        raise HTTPException(411, "no content length")
    if int(length) > _MAX_FORM:
        raise HTTPException(413, "the body is too large")
    fields = parse_qs((await request.body()).decode("latin-1"))
    return {name: values[0] for name, values in fields.items()}
