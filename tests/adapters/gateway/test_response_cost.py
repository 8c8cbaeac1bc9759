"""What an answer costs that did not come to its end: cut, hung up on, or broken off by an error."""

import contextlib
import http.client
import json
import threading
import time
from http.server import BaseHTTPRequestHandler

import pytest

from tests.tools.gateway_client import BODY, WAIT_S, PaperClerk, about, client_of, upstream_that
from tests.tools.scripted_model import ScriptedModel

WORST_USD = (len(json.dumps(BODY)) + 1_000) * 2e-6 + 1_000 * 5e-6
START = b'data: {"type": "message_start", "message": {"usage": {"input_tokens": 100}}}\n\n'
DELTA = b'data: {"type": "content_block_delta", "delta": {"text": "hello"}}\n\n'
END = b'data: {"type": "message_delta", "usage": {"output_tokens": 700}}\n\n'
ERROR = b'data: {"type": "error", "error": {"type": "overloaded_error"}}\n\n'


def begin_stream(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.end_headers()


def test_all_that_was_reserved_for_an_answer_that_was_cut_stays_reserved() -> None:
    accounting = PaperClerk()
    with ScriptedModel(turns=[{"text": "half", "drop": True}]) as model, client_of(model.url, accounting) as client:
        with (
            contextlib.closing(client.send({**BODY, "max_tokens": 900})) as got,
            pytest.raises(http.client.HTTPException),
        ):
            got.read()
        used = client.gateway.close()
    assert used.cost_usd == 0.0
    assert used.held_usd == accounting.sums[0] == accounting.sums[-1] > 0


def test_who_hangs_up_still_pays_for_what_the_model_wrote() -> None:
    """Half of what it wrote was thinking that nobody saw."""
    is_gone, is_written, accounting = threading.Event(), threading.Event(), PaperClerk()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        begin_stream(handler)
        handler.wfile.write(START)
        assert is_gone.wait(WAIT_S)
        for _ in range(100):
            handler.wfile.write(DELTA * 100)
        handler.wfile.write(END)
        is_written.set()

    with upstream_that(answer) as upstream, client_of(upstream, accounting) as client:
        connection = client.connect()
        connection.request("POST", "/v1/messages", json.dumps(BODY), {"x-api-key": client.gateway.token})
        with contextlib.closing(connection.getresponse()) as got:
            assert got.read1(1000) == START
        connection.close()
        is_gone.set()
        assert is_written.wait(WAIT_S)
        ends = time.monotonic() + WAIT_S
        while len(accounting.sums) < 2 and time.monotonic() < ends:
            time.sleep(0.01)
        assert client.gateway.close().cost_usd == pytest.approx(100 * 1e-6 + 700 * 5e-6)
        assert client.gateway.observation.limit is None


@pytest.mark.parametrize(
    ("events", "cost_usd", "held_usd"),
    [
        pytest.param(ERROR, 0.0, 0.0, id="in place of an answer"),
        pytest.param(START + DELTA + ERROR, 0.0, WORST_USD, id="in the middle of one"),
        pytest.param(DELTA + ERROR, 0.0, WORST_USD, id="in the middle of one without counts"),
        pytest.param(START + END + ERROR, 100 * 1e-6 + 700 * 5e-6, 0.0, id="after its counts"),
    ],
)
def test_an_error_inside_the_stream_costs_nothing_only_when_nothing_else_came(
    events: bytes, cost_usd: float, held_usd: float
) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        begin_stream(handler)
        handler.wfile.write(events)

    with upstream_that(answer) as upstream, client_of(upstream) as client:
        assert client.status() == 200
        used = client.gateway.close()
        assert (used.cost_usd, used.held_usd) == (about(cost_usd), about(held_usd))
