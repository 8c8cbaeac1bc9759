"""The web server: how it listens, and how it stops."""

import socket

import pytest

from reknit.interfaces.web.server import create_server
from reknit.interfaces.web.webhooks import PATH
from tests.interfaces.web.listening import Listening, served, signed, until


def test_an_address_in_use_is_an_error_before_anything_is_served() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        create_server("127.0.0.1", taken.getsockname()[1], [], print)


def refuses_connections(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=10).close()
    except ConnectionError:
        return True
    return False


def test_what_was_sent_before_the_end_is_answered() -> None:
    listening, body = Listening(), b"{}"
    lines = (f"POST {PATH} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}")
    head = "\r\n".join((*lines, *(f"{name}: {value}" for name, value in signed(body).items()), "", "")).encode()
    with served(listening) as server:
        wire = socket.create_connection(("127.0.0.1", listening.port), timeout=10)
        with wire:
            wire.sendall(head + body[:1])
            assert listening.ask("GET", "/healthz")[0] == 200  # so that the head has been read
            server.should_exit = True
            assert until(lambda: refuses_connections(listening.port))
            wire.settimeout(0.5)
            with pytest.raises(TimeoutError):  # it waits for the rest
                wire.recv(1000)
            wire.settimeout(10)
            wire.sendall(body[1:])
            assert wire.recv(1000).startswith(b"HTTP/1.1 202 ")
    assert len(listening.events) == 1
