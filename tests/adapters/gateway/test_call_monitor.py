"""Limits of provider accounts: read from answers, told to the clerk, and heeded before anything goes out."""

import contextlib
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler

import pytest

from reknit.core.gateway.access import ProviderName
from reknit.core.gateway.metering import ProviderRefusal
from tests.tools.gateway_client import BODY, WAIT_S, PaperClerk, client_of, upstream_that
from tests.tools.model_client import ANTHROPIC, CHAT, GEMINI, RESPONSES, Ask
from tests.tools.scripted_model import ScriptedModel

RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}


@pytest.mark.parametrize(
    ("provider", "ask"),
    [("anthropic", ANTHROPIC), ("gemini", GEMINI), ("openai", RESPONSES), ("openai_chat", CHAT)],
)
def test_a_known_limit_is_heeded_without_asking_the_provider(provider: ProviderName, ask: Ask) -> None:
    accounting = PaperClerk(until=time.time() + 90)
    with (
        ScriptedModel(turns=[{"text": "hello", "repeat": True}]) as model,
        client_of(model.url, accounting, provider=provider) as client,
    ):
        with contextlib.closing(
            client.send(ask.body(), target=ask.path, headers={"x-api-key": client.gateway.token})
        ) as answer:
            told = json.loads(answer.read())
        assert answer.status == 429
        assert 85 <= int(answer.getheader("retry-after", "")) <= 90
        assert "limit" in told["error"]["message"]
        assert client.gateway.seen.limit == ProviderRefusal(429, accounting.until)
        assert (client.gateway.seen.status, client.gateway.close().requests) == (None, 0)
    assert model.log == []
    assert (accounting.sums, accounting.limits) == ([], [])


def test_a_limit_that_is_over_is_told_to_be_over() -> None:
    accounting = PaperClerk(until=time.time() + 90)
    with (
        ScriptedModel(turns=[{"text": "hello", "repeat": True}]) as model,
        client_of(model.url, accounting) as client,
    ):
        assert client.status() == 429
        accounting.until = time.time() - 1
        assert [client.status(), client.status()] == [200, 200]
        assert client.gateway.seen.limit is None
    assert accounting.served_accounts == ["a"]


def test_the_first_good_answer_ends_what_earlier_calls_met() -> None:
    accounting = PaperClerk()
    with (
        ScriptedModel(turns=[{"text": "hello", "repeat": True}]) as model,
        client_of(model.url, accounting) as client,
    ):
        assert [client.status(), client.status()] == [200, 200]
    assert (accounting.served_accounts, accounting.limits) == (["a"], [])


def test_a_limit_is_told_to_the_clerk_and_its_end_too() -> None:
    accounting = PaperClerk()
    turns = [{"status": 429, "headers": {"retry-after": "30"}}, {"text": "hello", "repeat": True}]
    with ScriptedModel(turns=turns) as model, client_of(model.url, accounting, account="anthropic:1") as client:
        assert client.status() == 429
        ((account, limit),) = accounting.limits
        assert (account, limit) == ("anthropic:1", client.gateway.seen.limit)
        assert client.status() == 200
        assert client.gateway.seen.limit is None
    assert accounting.served_accounts == ["anthropic:1"]


@pytest.mark.parametrize(
    ("turn", "is_told"),
    [
        pytest.param({"status": 429}, True, id="a limit without a time"),
        pytest.param({"status": 529}, False, id="too busy"),
        pytest.param({"status": 500}, False, id="broken"),
        pytest.param({"status": 408}, False, id="too slow"),
        pytest.param({"status": 529, "headers": {"retry-after": "30"}}, True, id="too busy until a time"),
        pytest.param({"status": 401}, False, id="no limit at all"),
    ],
)
def test_only_limits_of_the_account_are_told(turn: dict[str, object], is_told: bool) -> None:
    accounting = PaperClerk()
    with ScriptedModel(turns=[{**turn, "repeat": True}]) as model, client_of(model.url, accounting) as client:
        assert client.status() == turn["status"]
        assert (client.gateway.seen.limit is None) is (turn["status"] == 401)
        assert client.gateway.seen.status == turn["status"]
    assert bool(accounting.limits) is is_told


@pytest.mark.parametrize(
    ("provider", "ask", "turn", "wait_s"),
    [
        ("gemini", GEMINI, {"status": 429, "details": [RETRY_INFO]}, 34.5),
        (
            "openai",
            RESPONSES,
            {"status": 429, "headers": {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}},
            360.0,
        ),
        ("openai_chat", CHAT, {"status": 503, "headers": {"retry-after": "7"}}, 7.0),
    ],
)
def test_the_time_is_read_in_every_vendors_way(
    provider: ProviderName, ask: Ask, turn: dict[str, object], wait_s: float
) -> None:
    with (
        ScriptedModel(turns=[{**turn, "repeat": True}]) as model,
        client_of(model.url, provider=provider) as client,
    ):
        before = time.time()
        headers = {"x-api-key": client.gateway.token}
        assert client.status(ask.body(), target=ask.path, headers=headers) == turn["status"]
        limit = client.gateway.seen.limit
    assert limit
    assert limit.until
    assert before + wait_s <= limit.until <= time.time() + wait_s


def test_a_limit_inside_a_stream_is_told() -> None:
    accounting = PaperClerk()
    with (
        ScriptedModel(turns=[{"sse_error": "rate_limit_error"}]) as model,
        client_of(model.url, accounting) as client,
    ):
        assert client.status({**BODY, "stream": True}) == 200
        assert client.gateway.seen.limit == ProviderRefusal(429)
    assert accounting.limits == [("a", ProviderRefusal(429))]
    assert accounting.sums[-1] == 0.0


def test_a_limit_of_what_costs_nothing_is_not_the_accounts() -> None:
    accounting = PaperClerk()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(429)
        handler.send_header("retry-after", "30")
        handler.end_headers()

    with upstream_that(answer) as upstream, client_of(upstream, accounting) as client:
        assert client.status(target="/v1/messages/count_tokens") == 429
        assert (client.gateway.seen.limit, client.gateway.seen.status) == (None, None)
    assert accounting.limits == []


def test_an_answer_from_before_a_limit_does_not_end_it() -> None:
    accounting, release, turns = PaperClerk(), threading.Event(), iter([{"status": 200}, {"status": 429}])

    def answer(handler: BaseHTTPRequestHandler) -> None:
        status = next(turns)["status"]
        if status == 200:
            asked.set()
            release.wait(WAIT_S)
        handler.send_response(status)
        handler.end_headers()
        handler.wfile.write(b'{"type": "message", "usage": {"input_tokens": 1, "output_tokens": 1}}')

    asked = threading.Event()
    with (
        upstream_that(answer) as upstream,
        client_of(upstream, accounting) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        slow = pool.submit(client.status)
        assert asked.wait(WAIT_S)
        assert client.status() == 429
        release.set()
        assert slow.result(WAIT_S) == 200
        assert (client.gateway.seen.limit, client.gateway.seen.status) == (ProviderRefusal(429), 429)
    assert accounting.served_accounts == []


class Remembering(PaperClerk):
    def limited(self, account: str, limit: ProviderRefusal) -> None:
        super().limited(account, limit)
        self.until = limit.until


def test_a_limit_that_came_while_a_request_waited_for_money_is_heeded() -> None:
    accounting, release = Remembering(), threading.Event()
    turn = {"status": 429, "headers": {"retry-after": "30"}, "delay": release, "repeat": True}
    with (
        ScriptedModel(turns=[turn]) as model,
        client_of(model.url, accounting, budget_usd=0.01) as client,
        ThreadPoolExecutor(2) as pool,
    ):
        statuses = [pool.submit(client.status) for _ in range(2)]
        assert model.wait_for(1)
        release.set()
        assert [status.result(WAIT_S) for status in statuses] == [429, 429]
        assert client.gateway.close().cost_usd == 0
    assert len(model.log) == 1


def test_a_quota_that_somebody_must_pay_for_is_no_limit_to_wait_for() -> None:
    accounting = PaperClerk()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(429)
        handler.end_headers()
        handler.wfile.write(b'{"error": {"type": "insufficient_quota", "code": "insufficient_quota"}}')

    with upstream_that(answer) as upstream, client_of(upstream, accounting, provider="openai") as client:
        headers = {"x-api-key": client.gateway.token}
        assert client.status(RESPONSES.body(), target=RESPONSES.path, headers=headers) == 429
        assert (client.gateway.seen.limit, client.gateway.seen.status) == (None, 403)
    assert accounting.limits == []
