"""The gateway's side to the model: an answer is waited for, but not without end."""

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler

import pytest

from reknit.adapters.gateway.upstream import Upstream
from reknit.core.agents.call import Usage
from reknit.core.gateway.metering import UNREACHABLE, ProviderRefusal
from tests.tools.gateway_client import BODY, KEY, WAIT_S, PaperClerk, about, client_of, upstream_that
from tests.tools.model_client import ANTHROPIC, CHAT, GEMINI, RESPONSES
from tests.tools.scripted_model import ScriptedModel


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
                answer.limit_remaining_time(0.2)
                answer.limit_remaining_time(600.0)
                with pytest.raises(http.client.IncompleteRead):
                    list(parts)
        over.set()


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
    cost_usd = 2 * (10 * 1e-6 + 5 * 2e-6 + 70 * 0.1e-6 + 30 * 5e-6)
    assert used == Usage(30, 140, 60, requests=2, cost_usd=about(cost_usd))


def test_a_limit_is_recorded_and_passed_on() -> None:
    turn = {"status": 429, "headers": {"retry-after": "30", "anthropic-organization-id": "secret"}, "repeat": True}
    with ScriptedModel(turns=[turn]) as model, client_of(model.url) as client:
        assert client.gateway.observation.limit is None
        before = time.time()
        with contextlib.closing(client.send()) as answer:
            answer.read()
        assert answer.status == 429
        assert answer.getheader("retry-after") == "30"
        assert answer.getheader("anthropic-organization-id") is None
        limit = client.gateway.observation.limit
    assert limit is not None
    assert limit.status == 429
    assert limit.until is not None
    assert before + 30 <= limit.until <= time.time() + 30


def test_a_limit_with_a_date_is_recorded() -> None:
    turn = {"status": 529, "headers": {"retry-after": formatdate(2_000_000_000, usegmt=True)}, "repeat": True}
    with ScriptedModel(turns=[turn]) as model, client_of(model.url) as client:
        assert client.status() == 529
        assert client.gateway.observation.limit == ProviderRefusal(529, 2_000_000_000.0)


def test_an_overload_told_inside_the_stream_is_recorded() -> None:
    with ScriptedModel(turns=[{"sse_error": "overloaded_error"}]) as model, client_of(model.url) as client:
        assert client.status({**BODY, "stream": True}) == 200
        assert (client.gateway.observation.limit, client.gateway.observation.status) == (ProviderRefusal(529), 529)


def test_an_error_inside_the_stream_that_is_no_limit_is_seen_by_its_status() -> None:
    accounting = PaperClerk()
    with (
        ScriptedModel(turns=[{"sse_error": "authentication_error"}]) as model,
        client_of(model.url, accounting) as client,
    ):
        assert client.status({**BODY, "stream": True}) == 200
        assert (client.gateway.observation.limit, client.gateway.observation.status) == (None, 401)
    assert accounting.served_accounts == []


def test_an_upstream_that_is_not_there_is_502_and_a_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with client_of(nobody) as client:
        with contextlib.closing(client.send()) as answer:
            told = answer.read().decode()
        assert answer.status == 502
        assert "ConnectionRefusedError" in told
        assert (client.gateway.observation.limit, client.gateway.observation.status) == (
            ProviderRefusal(UNREACHABLE),
            UNREACHABLE,
        )
        assert client.gateway.close() == Usage(requests=1)


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
    ):
        with pytest.raises(http.client.IncompleteRead):
            got.read()
        assert client.gateway.observation.limit == ProviderRefusal(UNREACHABLE)


def test_an_answer_that_we_cut_ourselves_is_not_the_providers_fault() -> None:
    over = threading.Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "100")
        handler.end_headers()
        handler.wfile.write(b"half of it")
        over.wait(WAIT_S)

    with upstream_that(answer) as upstream, client_of(upstream) as client, contextlib.closing(client.send()) as got:
        assert got.read1(1000) == b"half of it"
        client.gateway.close()
        with pytest.raises(http.client.IncompleteRead):
            got.read()
        over.set()
        assert client.gateway.observation.limit is None


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


def test_what_an_answer_tells_is_noted_before_the_box_can_act_on_it() -> None:
    """The CLI may end as soon as it has read the last event, while the provider's connection is still open."""
    is_read = threading.Event()
    event = b'data: {"type": "message_delta", "delta": {"stop_reason": "refusal"}, "usage": {"output_tokens": 9}}\n\n'

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(event)
        is_read.wait(WAIT_S)

    with upstream_that(answer) as upstream, client_of(upstream) as client, contextlib.closing(client.send()) as got:
        assert got.read1(1000) == event
        assert client.gateway.observation.model_refused
        assert client.gateway.close().output_tokens == 9
        is_read.set()


def test_an_error_is_settled_before_the_box_reads_it() -> None:
    accounting = PaperClerk()
    with ScriptedModel(turns=[{"status": 400, "repeat": True}]) as model, client_of(model.url, accounting) as client:
        for _ in range(5):
            with contextlib.closing(client.send()) as got:
                assert accounting.sums[-1] == 0.0
                assert got.status == 400


@pytest.mark.parametrize("status", [301, 307])
def test_a_redirect_is_never_followed(status: int) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("location", "http://127.0.0.1:1/v1/messages")
        handler.send_header("content-length", "0")
        handler.end_headers()

    with upstream_that(answer) as upstream, client_of(upstream) as client:
        with contextlib.closing(client.send()) as got:
            assert b"redirect" in got.read()
        assert (got.status, got.getheader("location")) == (502, None)
        assert client.gateway.observation.status == status
        assert client.gateway.close() == Usage(requests=1)


def test_an_error_costs_nothing_and_its_body_is_bounded() -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(400)
        handler.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(40):
                handler.wfile.write(b"x" * (1 << 16))

    with upstream_that(answer) as upstream, client_of(upstream) as client:
        with contextlib.closing(client.send()) as got:
            assert len(got.read()) == 1 << 20
        assert (got.status, client.gateway.observation.status, client.gateway.observation.limit) == (400, 400, None)
        assert client.gateway.close() == Usage(requests=1)


@pytest.mark.parametrize("api", ["anthropic", "gemini", "openai", "openai_chat"])
@pytest.mark.parametrize("streamed", [True, False])
def test_a_refusal_of_the_model_is_seen_and_forgotten_with_its_next_answer(api: str, streamed: bool) -> None:
    ask = {"anthropic": ANTHROPIC, "gemini": GEMINI, "openai": RESPONSES, "openai_chat": CHAT}[api]
    turns = [{"refusal": True, "text": "I will not."}, {"text": "well", "repeat": True}]
    with ScriptedModel(turns=turns) as model, client_of(model.url, provider=api) as client:
        body = ask.body("hi", **({"stream": True} if streamed and api != "gemini" else {}))
        target, headers = ask.stream_path if streamed else ask.path, {"x-api-key": client.gateway.token}
        assert client.status(body, target=target, headers=headers) == 200
        assert client.gateway.observation.model_refused
        assert client.status(body, target=target, headers=headers) == 200
        assert not client.gateway.observation.model_refused


def test_the_status_of_an_error_is_not_weakened_by_its_body() -> None:
    """As OpenAI words it for a key with too few rights. It may also repeat the key."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(401)
        handler.end_headers()
        handler.wfile.write(b'{"error": {"type": "invalid_request_error", "message": "not %s"}}' % KEY.encode())

    with upstream_that(answer) as upstream, client_of(upstream, provider="openai") as client:
        headers = {"x-api-key": client.gateway.token}
        with contextlib.closing(client.send(RESPONSES.body(), target=RESPONSES.path, headers=headers)) as got:
            body = got.read().decode()
        assert client.gateway.observation.status == 401
    assert KEY not in body
    assert "not [key]" in body


def test_no_part_of_the_key_is_left_where_an_error_is_cut() -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(400)
        handler.end_headers()
        with contextlib.suppress(OSError):
            handler.wfile.write(b"_" * ((1 << 20) - len(KEY) + 1) + KEY.encode() + b"_" * 1000)

    with upstream_that(answer) as upstream, client_of(upstream) as client, contextlib.closing(client.send()) as got:
        assert set(got.read()) == set(b"_")
