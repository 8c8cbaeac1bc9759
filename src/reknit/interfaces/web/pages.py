"""The pages of the dashboard: now, inbox, fixes, spend, and one run; rendered here, live by server-sent events."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from importlib import resources

from anyio import to_thread
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from reknit.app.dashboard import Dashboard
from reknit.core.dashboard.access import has_permission
from reknit.core.dashboard.page_text import (
    describe_fixes,
    format_cursor,
    name_repository,
    parse_cursor,
    summarize_spending,
)
from reknit.core.dashboard.values import Action
from reknit.core.errors import ReknitError
from reknit.interfaces.web.access import COOKIE, LOGIN_COOKIE, LOGIN_S, Access
from reknit.interfaces.web.gate import Gate, RefusedError
from reknit.interfaces.web.sessions import SESSION_S, Session
from reknit.store.runs.pages import ListName

STATIC = {
    "htmx.js": "text/javascript",
    "hx-sse.js": "text/javascript",
    "style.css": "text/css",
    "icon.svg": "image/svg+xml",
}
_LISTS: dict[str, tuple[ListName, str]] = {
    "/": ("open", "now"), "/inbox": ("unsettled", "inbox"), "/fixes": ("landed", "fixes"), "/runs": ("all", "runs"),
}  # fmt: skip
_LOOK_S, _HEARTBEAT_S = 1.0, 15.0
_MAX_STREAMS = 64
"""Each of them looks at the database once per second."""


def make_pages(dashboard: Dashboard, access: Access) -> list[Route]:
    """Return the routes of the dashboard."""
    return _Pages(dashboard, access).routes


class _Pages:
    def __init__(self, dashboard: Dashboard, access: Access) -> None:
        self._dashboard, self._access = dashboard, access
        self._gate = gate = Gate(dashboard, access, self._render_refusal)
        self._streams = 0
        self._templates = Environment(
            loader=PackageLoader("reknit.interfaces.web"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self._templates.filters |= {
            "repository": name_repository, "day": partial(_format_time, "%Y-%m-%d"),
            "clock": partial(_format_time, "%H:%M:%S"),
        }  # fmt: skip
        self.routes = [
            *(Route(path, gate.read(self._show_list)) for path in _LISTS),
            Route("/live", gate.read(self._stream_list)),
            Route("/spend", gate.read(self._show_spending)),
            Route("/audit", gate.read(self._show_audit)),
            Route("/runs/{run_id}", gate.read(self._show_run)),
            Route("/runs/{run_id}/live", gate.read(self._stream_run)),
            *(self._make_action(action) for action in ("stop", "resume", "settle")),
            Route("/login", gate.guard("enter", self._begin)),
            Route("/enter", gate.guard("enter", self._enter)),
            Route("/leave", gate.guard("enter", self._leave), methods=["POST"]),
            *(Route(f"/static/{name}", _make_file(name, kind)) for name, kind in STATIC.items()),
        ]

    def _make_action(self, action: Action) -> Route:
        endpoint = self._gate.act(action, partial(self._act, action))
        return Route(f"/runs/{{run_id}}/{action}", endpoint, methods=["POST"])

    async def _begin(self, request: Request, _session: Session | None) -> Response:
        address, proof = self._access.begin(request)
        if not address:
            raise RefusedError(404, self._access.advice)
        return self._set_cookie(RedirectResponse(address, 303), LOGIN_COOKIE, proof, LOGIN_S)

    async def _enter(self, request: Request, _session: Session | None) -> Response:
        cookie, why = await to_thread.run_sync(self._access.enter, request)
        session = self._access.sessions.find(cookie)
        if why or session is None:
            raise RefusedError(401, why)
        await self._gate.record(request, session.who, "enter", "accepted", "")
        return self._set_cookie(RedirectResponse("/", 303), COOKIE, cookie, SESSION_S)

    async def _leave(self, request: Request, _session: Session | None) -> Response:
        self._access.sessions.end(request.cookies.get(COOKIE, ""))  # another site cannot send this cookie
        return self._set_cookie(RedirectResponse("/", 303), COOKIE, "", 0)

    def _set_cookie(self, response: Response, name: str, value: str, seconds: float) -> Response:
        same_site, is_secure = self._access.same_site, self._access.is_secure
        response.set_cookie(name, value, max_age=int(seconds), httponly=True, samesite=same_site, secure=is_secure)
        return response

    async def _show_list(self, request: Request, session: Session) -> Response:
        return HTMLResponse(await to_thread.run_sync(self._render_list, request, session, "page.html"))

    def _render_list(self, request: Request, session: Session, template: str) -> str:
        path = "/" if request.url.path == "/live" else request.url.path
        name, title = _LISTS[path]
        scope = self._find_scope(session)
        after = parse_cursor(request.query_params.get("after", ""))
        rows, following = self._dashboard.list_rows(
            name, after, scope, lambda run: self._access.get_permission(session, run) != "none"
        )
        weeks = self._dashboard.sum_fixes(scope) if name == "landed" else []
        return self._render(
            template, session, title=title, path=path, rows=rows, following=format_cursor(following), weeks=weeks,
            sentence=describe_fixes(weeks) if name == "landed" else "", is_live=name == "open" and after is None,
            unsettled=self._dashboard.count_unsettled(scope),
        )  # fmt: skip

    async def _show_spending(self, _request: Request, session: Session) -> Response:
        scope = await to_thread.run_sync(self._find_scope, session)
        weeks = await to_thread.run_sync(self._dashboard.sum_spending, scope)
        return HTMLResponse(
            self._render("spend.html", session, title="spend", weeks=weeks, sentence=summarize_spending(weeks))
        )

    async def _show_audit(self, _request: Request, session: Session) -> Response:
        if await to_thread.run_sync(self._find_scope, session) is not None:
            raise RefusedError(403, "the audit trail has entries of every repository")
        entries = await to_thread.run_sync(self._dashboard.list_audit)
        return HTMLResponse(self._render("audit.html", session, title="audit", entries=entries))

    async def _show_run(self, request: Request, session: Session) -> Response:
        return HTMLResponse(await self._render_run(request, session, "run.html"))

    async def _render_run(self, request: Request, session: Session, template: str) -> str:
        run, permission = await self._gate.find_readable(request, session)
        page = await to_thread.run_sync(self._dashboard.build_run_page, run)
        may_write = has_permission(permission, "stop")
        return self._render(template, session, title=run.id, page=page, may_write=may_write, is_live=not page.ending)

    async def _stream_list(self, request: Request, session: Session) -> Response:
        async def render() -> str:
            return await to_thread.run_sync(self._render_list, request, session, "_rows.html")

        return self._stream(request, render)

    async def _stream_run(self, request: Request, session: Session) -> Response:
        await self._gate.find_readable(request, session)
        return self._stream(request, lambda: self._render_run(request, session, "_run.html"))

    def _stream(self, request: Request, render: Callable[[], Awaitable[str]]) -> Response:
        if self._streams >= _MAX_STREAMS:
            raise RefusedError(503, "too many live pages")
        return StreamingResponse(self._follow(request, render), media_type="text/event-stream")

    async def _follow(self, request: Request, render: Callable[[], Awaitable[str]]) -> AsyncIterator[str]:
        """Yield the part of the page again whenever it has changed, until the server stops or the session ends."""
        last, quiet_since = "", time.monotonic()
        self._streams += 1
        try:
            while not request.app.state.server.should_exit:
                if self._access.sessions.find(request.cookies.get(COOKIE, "")) is None:
                    return
                html = await render()
                if html != last:
                    last, quiet_since = html, time.monotonic()
                    yield "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
                elif time.monotonic() - quiet_since > _HEARTBEAT_S:
                    quiet_since = time.monotonic()
                    yield ": still here\n\n"
                await asyncio.sleep(_LOOK_S)
        except RefusedError:
            return  # the right to read it is gone
        finally:
            self._streams -= 1

    async def _act(self, action: Action, request: Request, _session: Session) -> Response:
        run_id = request.path_params["run_id"]
        try:
            await to_thread.run_sync(self._dashboard.act, action, run_id)
        except ReknitError as problem:
            raise RefusedError(409, f"{problem.message}; {problem.help}" if problem.help else problem.message) from None
        return RedirectResponse("/inbox" if action == "settle" else f"/runs/{run_id}", 303)

    def _find_scope(self, session: Session) -> frozenset[str] | None:
        scope = self._access.list_repositories(session, self._dashboard.list_repositories())
        return None if scope is None else frozenset(scope)

    def _render_refusal(self, session: Session | None, refusal: RefusedError) -> Response:
        html = self._render(
            "refused.html", session, title="refused", reason=refusal.reason,
            advice="" if session else self._access.advice, login="" if session else self._access.login_path,
        )  # fmt: skip
        return HTMLResponse(html, refusal.status)

    def _render(self, template: str, session: Session | None, **values: object) -> str:
        return self._templates.get_template(template).render(session=session, **values)


def _format_time(form: str, at: float) -> str:
    return time.strftime(form, time.gmtime(at))


def _make_file(name: str, kind: str) -> Callable[[Request], Response]:
    content = resources.files("reknit.interfaces.web").joinpath("static", name).read_bytes()
    headers = {"cache-control": "max-age=3600", "x-content-type-options": "nosniff"}

    def answer(_request: Request) -> Response:
        return Response(content, media_type=kind, headers=headers)

    return answer
