"""What the gateway makes of its upstream's answers: handed over as they come, metered, and read for limits."""

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler

import pytest

from reknit.core.agent_call import Usage
from reknit.core.metering import UNREACHABLE, NotNow
from tests.tools.gateway_client import BODY, WAIT_S, client_of, upstream_that
from tests.tools.scripted_model import ScriptedModel


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(turns=[{"text": "hello", "repeat": True}]) as scripted:
        yield scripted


def test_events_are_handed_over_as_they_come() -> None:
    """The upstream sends its second event only after the client has the first: a buffer would hang here."""
    first_is_there = threading.Event()
    first, second = b'data: {"n": 1}\n\n', b'data: {"n": 2}\n\n'

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(first)
        if first_is_there.wait(WAIT_S):
            handler.wfile.write(second)

    with upstream_that(answer) as upstream, client_of(upstream) as client, contextlib.closing(client.send()) as got:
        assert got.read1(1000) == first
        first_is_there.set()
        assert got.read() == second


@pytest.mark.parametrize("streamed", [True, False])
def test_usage_is_metered(streamed: bool) -> None:
    use = {"input": 10, "cache_write": 5, "cached": 70, "output": 30}
    with ScriptedModel(turns=[{"text": "a", "usage": use, "repeat": True}]) as model, client_of(model.url) as client:
        assert [client.status({**BODY, "stream": streamed}) for _ in range(2)] == [200, 200]
        used = client.gateway.close()
    assert used == Usage(input_tokens=30, cached_tokens=140, output_tokens=60, requests=2)


def test_counting_tokens_uses_none(model: ScriptedModel) -> None:
    with client_of(model.url) as client:
        assert client.status(target="/v1/messages/count_tokens") == 200
        assert client.gateway.close() == Usage(requests=1)


def test_a_limit_is_recorded_and_passed_on() -> None:
    turn = {"status": 429, "headers": {"retry-after": "30", "anthropic-organization-id": "secret"}, "repeat": True}
    with ScriptedModel(turns=[turn]) as model, client_of(model.url) as client:
        assert client.gateway.limit is None
        before = time.time()
        with contextlib.closing(client.send()) as answer:
            answer.read()
        assert answer.status == 429
        assert answer.getheader("retry-after") == "30"
        assert answer.getheader("anthropic-organization-id") is None
        limit = client.gateway.limit
    assert limit is not None
    assert limit.status == 429
    assert limit.until is not None
    assert before + 30 <= limit.until <= time.time() + 30


def test_a_limit_with_a_date_is_recorded() -> None:
    turn = {"status": 529, "headers": {"retry-after": formatdate(2_000_000_000, usegmt=True)}, "repeat": True}
    with ScriptedModel(turns=[turn]) as model, client_of(model.url) as client:
        assert client.status() == 529
        assert client.gateway.limit == NotNow(529, 2_000_000_000.0)


def test_an_overload_told_inside_the_stream_is_recorded() -> None:
    with ScriptedModel(turns=[{"sse_error": "overloaded_error"}]) as model, client_of(model.url) as client:
        assert client.status({**BODY, "stream": True}) == 200
        assert client.gateway.limit == NotNow(529)


def test_an_upstream_that_is_not_there_is_502_and_a_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with client_of(nobody) as client:
        with contextlib.closing(client.send()) as answer:
            told = answer.read().decode()
        assert answer.status == 502
        assert "ConnectionRefusedError" in told
        assert client.gateway.limit == NotNow(UNREACHABLE)


def test_an_answer_that_cannot_be_metered_is_not_handed_over() -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-encoding", "gzip")
        handler.end_headers()

    with upstream_that(answer) as upstream, client_of(upstream) as client:
        assert client.status() == 502


@pytest.mark.parametrize("length", [{}, {"content-length": "100"}], ids=["chunked", "with a length"])
def test_an_answer_that_was_cut_does_not_look_whole(length: dict[str, str]) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        for name, value in (length or {"transfer-encoding": "chunked"}).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(b"half of it" if length else b"a\r\nhalf of it\r\n")

    with (
        upstream_that(answer) as upstream,
        client_of(upstream) as client,
        contextlib.closing(client.send()) as got,
        pytest.raises(http.client.IncompleteRead),
    ):
        got.read()


def test_an_upstream_that_keeps_its_connection_open_is_not_waited_for() -> None:
    answered = threading.Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "2")
        handler.end_headers()
        handler.wfile.write(b"{}")
        answered.wait(WAIT_S)

    with upstream_that(answer) as upstream, client_of(upstream) as client:
        with contextlib.closing(client.send()) as got:
            assert got.read() == b"{}"
        answered.set()
