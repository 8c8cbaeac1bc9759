"""The webhook endpoint, which rejects unsigned requests and bounds the cost of any unverified request."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Protocol

from anyio import CapacityLimiter, to_thread
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from reknit.adapters.gateway.box_connection import NoMemoryError
from reknit.core.errors import ReknitError
from reknit.core.forge.values import WebhookEvent
from reknit.interfaces.web.limits import RequestLimits, Say
from reknit.interfaces.web.server import get_connection, get_visitors

PATH = "/webhooks/github"

_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_DELIVERY = re.compile(r"[\x21-\x7e]{1,100}")
_FOLLOWERS = 64
"""Threads for what follows an answer, which may wait for a minute; the answers have threads of their own."""


class Receiver(Protocol):
    """Handles verified events."""

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookEvent | None:
        """Return the event; None: it is not signed."""

    def wake(self, event: WebhookEvent) -> tuple[str, ...]:
        """Notify the runs that the event concerns, and return them."""

    def follow(self, event: WebhookEvent) -> None:
        """Do what may take longer than a forge waits; called after the answer."""


def make_webhook_routes(receiver: Receiver, say: Say) -> list[Route]:
    """Return the routes of the webhook endpoint."""
    return [Route(PATH, _Endpoint(receiver, say).answer, methods=["POST"])]


class _Endpoint:
    def __init__(self, receiver: Receiver, say: Say) -> None:
        self._receiver, self._say = receiver, say
        self._followers = CapacityLimiter(_FOLLOWERS)

    async def answer(self, request: Request) -> Response:
        try:
            _check_head(request, get_visitors(request).limits)
            body = await _read_body(request)
        except ClientDisconnect:
            return Response()  # hung up, or refused already: nobody reads this
        event = await to_thread.run_sync(self._receiver.verify, dict(request.headers), body)
        if event is None:
            raise HTTPException(401, "not signed with the secret of this server")
        try:
            woken = await to_thread.run_sync(self._receiver.wake, event)
        except ReknitError as problem:
            self._say_outage(problem)
            raise HTTPException(503, "it cannot be accepted now") from None
        if woken:
            self._say(f"{request.headers.get('x-github-event', 'event')} for {', '.join(woken)}")
        follow = BackgroundTask(self._follow, event)
        return PlainTextResponse(f"{len(woken)} run(s) notified\n", 202, background=follow)

    async def _follow(self, event: WebhookEvent) -> None:
        follow = partial(self._receiver.follow, event)
        try:
            await to_thread.run_sync(follow, limiter=self._followers, abandon_on_cancel=True)
        except ReknitError as problem:
            self._say_outage(problem)

    def _say_outage(self, problem: ReknitError) -> None:
        self._say(f"error[{problem.name}]: {problem.message}")


def _check_head(request: Request, limits: RequestLimits) -> None:
    """Refuse whatever can be refused without reading the body."""
    if request.url.query:
        raise HTTPException(404)
    length = request.headers.get("content-length", "")  # the parser has refused what is not a number
    if "transfer-encoding" in request.headers or not length:
        raise HTTPException(411, "no content length")
    if int(length) > limits.body:
        raise HTTPException(413, "the body is too large")
    if not _SIGNATURE.fullmatch(request.headers.get("x-hub-signature-256", "")):
        raise HTTPException(401, "not signed")
    if not _DELIVERY.fullmatch(request.headers.get("x-github-delivery", "")):
        raise HTTPException(400, "no delivery id")


async def _read_body(request: Request) -> bytes:
    """Read in parts, so that only bytes actually received use memory."""
    visitors = get_visitors(request)
    body, memory_in_use = bytearray(), 0
    try:
        async for part in request.stream():
            body += part
            more = max(0, len(body) - visitors.limits.small_body) - memory_in_use
            visitors.memory.take(more)
            memory_in_use += more
        get_connection(request).verify()  # it is complete: only our own work is left
        return bytes(body)
    except NoMemoryError:
        raise HTTPException(503, "too much data at once") from None
    finally:
        visitors.memory.release(memory_in_use)
