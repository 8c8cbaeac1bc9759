"""The web server: uvicorn with our limits on unverified requests, and our words for every refusal."""

import math
import socket
import time
from collections.abc import Sequence
from typing import cast

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from uvicorn.config import HTTPProtocolType

from reknit.interfaces.web.connections import HEAD_PART, LimitedConnection, Visitors
from reknit.interfaces.web.limits import Refusals, RequestLimits, Say

_BACKLOG = 512
_GRACE_S = 12
"""Longer than a request may take: what was sent before the end is answered."""


class WebServer(uvicorn.Server):
    """A server on an address that is bound already."""

    def __init__(self, listener: socket.socket, routes: Sequence[BaseRoute], say: Say, limits: RequestLimits) -> None:
        self.port: int = listener.getsockname()[1]
        self.refusals = Refusals(say)
        self._listener, self._say = listener, say
        self._greeting: Sequence[str] = ()
        app = Starlette(
            routes=[Route("/healthz", _answer_health), *routes],
            exception_handlers={HTTPException: _refuse},  # type: ignore[dict-item]
        )
        app.router.redirect_slashes = False
        visitors = Visitors(limits, self.refusals)
        app.state.visitors = visitors
        app.state.server = self
        config = uvicorn.Config(
            app, http=cast("HTTPProtocolType", visitors.make_connection), ws="none", lifespan="off", loop="asyncio",
            log_config=None, log_level="error", access_log=False, server_header=False, proxy_headers=False,
            h11_max_incomplete_event_size=limits.headers - HEAD_PART, timeout_graceful_shutdown=_GRACE_S,
            callback_notify=self._report_refusals, timeout_notify=1,
        )  # fmt: skip
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Greet only now: a signal before this moment would not be handled."""
        await super().startup(sockets)
        for line in self._greeting:
            self._say(line)

    def serve_until_stopped(self, greeting: Sequence[str] = ()) -> None:
        """Serve until SIGINT, SIGTERM or `should_exit`. Raise KeyboardInterrupt after a SIGINT."""
        self._greeting = greeting
        try:
            self.run(sockets=[self._listener])
        finally:
            self.refusals.flush(now=math.inf)

    async def _report_refusals(self) -> None:
        self.refusals.flush(now=time.monotonic())


def create_server(
    host: str, port: int, routes: Sequence[BaseRoute], say: Say, limits: RequestLimits | None = None
) -> WebServer:
    """Return a server that listens at this address."""
    return WebServer(bind(host, port), routes, say, limits or RequestLimits())


def bind(host: str, port: int) -> socket.socket:
    """Listen at this address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=_BACKLOG)


def get_connection(request: Request) -> LimitedConnection:
    """Return the connection that sent the request."""
    connection: LimitedConnection = request.state.connection
    return connection


def get_visitors(request: Request) -> Visitors:
    """Return the limits that unverified requests share."""
    visitors: Visitors = request.app.state.visitors
    return visitors


async def _answer_health(_request: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _refuse(request: Request, refusal: HTTPException) -> Response:
    """Refuse by the connection itself, which need not have read the body. `detail` is always our own text."""
    why = "there is nothing at this path" if refusal.status_code == 404 else refusal.detail.lower()
    get_connection(request).refuse(refusal.status_code, why)
    return Response(status_code=refusal.status_code)
