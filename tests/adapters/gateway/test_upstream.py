"""The gateway's side to the model: an answer is waited for, but not without end."""

import contextlib
import http.client
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest

from reknit.adapters.gateway.upstream import Upstream
from tests.tools.gateway_client import WAIT_S, upstream_that


def hold(_: socket.socket) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


def silence(_: Callable[[bytes], object], over: threading.Event) -> None:
    over.wait(WAIT_S)


def a_trickle(write: Callable[[bytes], object], over: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while not over.wait(0.02):
            write(b"x")


@pytest.mark.parametrize("then", [silence, a_trickle])
def test_the_end_of_an_answer_is_waited_for_only_so_long(
    then: Callable[[Callable[[bytes], object], threading.Event], None],
) -> None:
    over = threading.Event()

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(b"hello")
        then(handler.wfile.write, over)

    with upstream_that(reply) as address:
        upstream = Upstream(address)
        with upstream.connect(hold) as connection:
            answer = upstream.send(connection, ("POST", "/v1/messages"), {}, b"{}")
            with contextlib.closing(answer):
                parts = answer.parts()
                assert next(parts).startswith(b"hello")  # the first "x" may come with it
                answer.hurry(0.2)
                answer.hurry(600.0)
                with pytest.raises(http.client.IncompleteRead):
                    list(parts)
        over.set()
