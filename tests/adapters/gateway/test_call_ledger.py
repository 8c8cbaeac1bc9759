"""The money of a call behind the gateway: on disk before a request goes out, lowered to what is left, never passed."""

import contextlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reknit.adapters.gateway.call_ledger import CallLedger, InFlightRequest
from reknit.core.gateway.access import ProviderName
from reknit.core.gateway.budget import CostBound
from reknit.core.gateway.metering import AnswerFacts, Meter, ProviderRefusal, Tokens
from reknit.core.gateway.policy import OVER_BUDGET
from reknit.core.gateway.priced_request import CountedRequest, PricedRequest
from reknit.core.gateway.wire import WIRES
from tests.tools.gateway_client import BODY, PRICES, WAIT_S, PaperClerk, about, client_of, upstream_that
from tests.tools.model_client import ANTHROPIC, CHAT, GEMINI, RESPONSES, Ask
from tests.tools.scripted_model import ScriptedModel

PROMPT_USD = (len(json.dumps(BODY)) + 1_000) * 2e-6
HELLO = {"text": "hello", "usage": {"input": 100, "output": 20}, "repeat": True}
HELLO_USD = 100 * 1e-6 + 20 * 5e-6


def test_the_worst_case_is_on_disk_before_the_request_goes_out() -> None:
    accounting, seen = PaperClerk(), list[float]()

    def look(_: object) -> None:
        seen.extend(accounting.sums)

    with ScriptedModel(turns=[HELLO], decide=look) as model, client_of(model.url, accounting) as client:
        assert client.status() == 200
        assert seen == [pytest.approx(PROMPT_USD + 1_000 * 5e-6)]
        assert accounting.sums == [*seen, pytest.approx(HELLO_USD)]
        assert client.gateway.close().cost_usd == accounting.sums[-1]


def test_the_output_is_lowered_to_what_is_left_and_then_refused() -> None:
    body = {**BODY, "max_tokens": 30_000}
    budget_usd = PROMPT_USD + 2_000 * 5e-6
    with ScriptedModel(turns=[HELLO]) as model, client_of(model.url, budget_usd=budget_usd) as client:
        assert client.status(body) == 200
        assert 1_990 <= model.log[0].body["max_tokens"] <= 2_000
        more = {**body, "messages": [{"role": "user", "content": "x" * 5_000}]}
        assert [client.status(more), client.status(more)] == [403, 403]
        (refusal,) = client.gateway.observation.refused
        assert refusal == client.gateway.observation.over_budget
        assert re.fullmatch(rf"{OVER_BUDGET}: a request to \S+ may cost \$0\.02, \$0\.01 is left", refusal), refusal
        assert client.gateway.close().cost_usd == pytest.approx(HELLO_USD)
    assert len(model.log) == 1


@pytest.mark.parametrize(
    ("provider", "ask", "read"),
    [
        ("gemini", GEMINI, lambda body: body["generationConfig"]["maxOutputTokens"]),
        ("openai", RESPONSES, lambda body: body["max_output_tokens"]),
        ("openai_chat", CHAT, lambda body: body["max_completion_tokens"]),
    ],
)
def test_every_wire_is_given_a_maximum_that_there_is_money_for(
    provider: ProviderName, ask: Ask, read: Callable[[Any], int]
) -> None:
    with ScriptedModel(turns=[HELLO]) as model, client_of(model.url, provider=provider, budget_usd=0.05) as client:
        assert client.status(ask.body(), target=ask.path, headers={"x-api-key": client.gateway.token}) == 200
    assert 9_000 < read(model.log[0].body) < 10_000


def test_a_conversation_that_goes_on_is_known_by_what_was_counted() -> None:
    accounting, long = PaperClerk(), "x" * 100_000
    with ScriptedModel(turns=[HELLO]) as model, client_of(model.url, accounting) as client:
        assert client.status({**BODY, "messages": [{"role": "user", "content": long}]}) == 200
        more = [{"role": "user", "content": long}, {"role": "user", "content": "go on"}]
        assert client.status({**BODY, "messages": more}) == 200
    first, _, second, _ = accounting.sums
    assert first > 100_000 * 2e-6
    assert second < HELLO_USD + (100 + 200 + 100) * 2e-6 + 1_000 * 5e-6


@dataclass(frozen=True)
class Watched(PricedRequest):
    """Says when its need is looked at: the ledger is locked then, until it waits."""

    looked: threading.Event = field(default_factory=threading.Event)

    def bound_cost(self, earlier: Iterable[CountedRequest]) -> CostBound:
        self.looked.set()
        return super().bound_cost(earlier)


def watched(max_tokens: int) -> Watched:
    return Watched(WIRES["anthropic"], "m", PRICES.find_row("anthropic", "m"), b"{}", {"max_tokens": max_tokens})


def test_a_request_waits_for_what_another_may_give_back() -> None:
    accounting, second = PaperClerk(), watched(1_100)
    ledger = CallLedger(accounting, threading.Event(), budget_usd=0.01, max_requests=9)
    flight = ledger.open(watched(1_500))
    assert isinstance(flight, InFlightRequest)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ledger.open, second)
        assert second.looked.wait(WAIT_S)
        ledger.settle(flight)
        granted = waiting.result(WAIT_S)
    assert isinstance(granted, InFlightRequest)
    assert granted.reservation.output == 1_100
    assert accounting.sums == [
        pytest.approx(1_002 * 2e-6 + 1_500 * 5e-6),
        0.0,
        pytest.approx(1_002 * 2e-6 + 1_100 * 5e-6),
    ]


def test_who_waits_is_woken_by_the_end() -> None:
    closed, second = threading.Event(), watched(1_100)
    ledger = CallLedger(PaperClerk(), closed, budget_usd=0.01, max_requests=9)
    flight = ledger.open(watched(1_500))
    assert isinstance(flight, InFlightRequest)
    flight.may_cost = True
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ledger.open, second)
        assert second.looked.wait(WAIT_S)
        closed.set()
        used = ledger.close()
        assert isinstance(waiting.exception(WAIT_S), ConnectionAbortedError)
    assert (used.requests, used.cost_usd, used.held_usd) == (1, 0.0, about(1_002 * 2e-6 + 1_500 * 5e-6))


def test_a_request_waits_rather_than_to_be_cut_short() -> None:
    second = watched(1_900)
    ledger = CallLedger(PaperClerk(), threading.Event(), budget_usd=0.02, max_requests=9)
    flight = ledger.open(watched(1_500))
    assert isinstance(flight, InFlightRequest)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ledger.open, second)
        assert second.looked.wait(WAIT_S)
        ledger.settle(flight)
        granted = waiting.result(WAIT_S)
    assert isinstance(granted, InFlightRequest)
    assert granted.reservation.output == 1_900


def test_two_at_once_through_the_gateway_both_pass_in_the_end() -> None:
    release = threading.Event()
    turn = {"text": "slow", "usage": {"input": 100, "output": 20}, "delay": release, "repeat": True}
    with (
        ScriptedModel(turns=[turn]) as model,
        client_of(model.url, budget_usd=PROMPT_USD + 5_100 * 5e-6) as client,
        ThreadPoolExecutor(2) as pool,
    ):
        statuses = [pool.submit(client.status, {**BODY, "max_tokens": 5_000}) for _ in range(2)]
        assert model.wait_for(1)
        release.set()
        assert [status.result(WAIT_S) for status in statuses] == [200, 200]
        assert not client.gateway.observation.over_budget


def test_the_end_of_a_gateway_is_no_budget_that_was_spent() -> None:
    with (
        ScriptedModel(turns=[{"hang": True, "repeat": True}]) as model,
        client_of(model.url, budget_usd=PROMPT_USD + 1_100 * 5e-6) as client,
        ThreadPoolExecutor(2) as pool,
    ):
        statuses = [pool.submit(client.status, {**BODY, "max_tokens": 1_100}) for _ in range(2)]
        assert model.wait_for(1)
        used = client.gateway.close()
        assert all(status.exception(WAIT_S) for status in statuses)
        assert not client.gateway.observation.over_budget
        assert (used.requests, len(model.log)) == (1, 1)


def test_searches_are_set_aside_for_and_bounded() -> None:
    accounting, search = PaperClerk(), {"type": "web_search_20250305", "name": "web_search"}
    with ScriptedModel(turns=[HELLO]) as model, client_of(model.url, accounting, allow_search=True) as client:
        assert client.status({**BODY, "tools": [search]}) == 200
    assert model.log[0].body["tools"] == [{**search, "max_uses": 5}]
    assert accounting.sums[0] > 5 * 0.01 + 100_000 * 2e-6
    assert accounting.sums[1] == pytest.approx(HELLO_USD)


def test_the_clerk_is_asked_first_and_a_clerk_that_fails_lets_nothing_out() -> None:
    class NoBooks(PaperClerk):
        def record_cost(self, usd: float, held_usd: float = 0.0) -> None:
            raise OSError("the database is gone")

    with ScriptedModel(turns=[HELLO]) as model, client_of(model.url, NoBooks()) as client:
        with pytest.raises(ConnectionError):
            client.status()
        assert client.gateway.close().cost_usd == 0
    assert model.log == []


bodies = st.lists(st.binary(max_size=400), min_size=1, max_size=4)
answers = st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans(), st.booleans())


@settings(max_examples=60)
@given(st.floats(0.001, 0.05), st.lists(st.tuples(bodies, st.integers(1, 9_000), answers), max_size=10))
def test_the_sum_on_disk_never_passes_the_budget(
    budget_usd: float, calls: list[tuple[list[bytes], int, tuple[float, float, bool, bool]]]
) -> None:
    """An honest provider: a token has a byte or more, and no answer is longer than allowed."""
    accounting = PaperClerk()
    ledger = CallLedger(accounting, threading.Event(), budget_usd=budget_usd, max_requests=100)
    for parts, asked, (weight, written, ends, answers_at_all) in calls:
        body = b"".join(parts)
        asking = PricedRequest(WIRES["anthropic"], "m", PRICES.find_row("anthropic", "m"), body, {"max_tokens": asked})
        flight = ledger.open(asking)
        if isinstance(flight, str):
            continue
        prompt = sum(byte < 256 * weight for byte in body)  # which bytes are tokens of their own
        if answers_at_all:
            told = AnswerFacts(Tokens(cache_write=prompt, output=int(flight.reservation.output * written)), final=ends)
            flight.meter = Meter(lambda _: AnswerFacts(), streamed=True, facts=told)
        ledger.settle(flight)
        ledger.settle(flight)
    assert all(total <= budget_usd for total in accounting.sums)
    used = ledger.close()
    assert used.cost_usd + used.held_usd == about(accounting.sums[-1] if accounting.sums else 0)


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
        assert client.gateway.observation.limit == ProviderRefusal(429, accounting.until)
        assert (client.gateway.observation.status, client.gateway.close().requests) == (None, 0)
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
        assert client.gateway.observation.limit is None
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
        assert (account, limit) == ("anthropic:1", client.gateway.observation.limit)
        assert client.status() == 200
        assert client.gateway.observation.limit is None
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
        assert (client.gateway.observation.limit is None) is (turn["status"] == 401)
        assert client.gateway.observation.status == turn["status"]
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
        limit = client.gateway.observation.limit
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
        assert client.gateway.observation.limit == ProviderRefusal(429)
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
        assert (client.gateway.observation.limit, client.gateway.observation.status) == (None, None)
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
        assert (client.gateway.observation.limit, client.gateway.observation.status) == (ProviderRefusal(429), 429)
    assert accounting.served_accounts == []


class Remembering(PaperClerk):
    def record_limit(self, account: str, limit: ProviderRefusal) -> None:
        super().record_limit(account, limit)
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
        assert (client.gateway.observation.limit, client.gateway.observation.status) == (None, 403)
    assert accounting.limits == []
