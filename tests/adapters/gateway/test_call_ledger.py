"""The money of a call behind the gateway: on disk before a request goes out, lowered to what is left, never passed."""

import json
import re
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reknit.adapters.gateway.call_ledger import CallLedger, InFlightRequest
from reknit.core.gateway.access import ProviderName
from reknit.core.gateway.budget import CostBound
from reknit.core.gateway.metering import AnswerFacts, Meter, Tokens
from reknit.core.gateway.policy import OVER_BUDGET
from reknit.core.gateway.priced_request import PricedRequest
from reknit.core.gateway.token_bound import CountedRequest
from reknit.core.gateway.wire import WIRES
from tests.tools.gateway_client import BODY, PRICES, WAIT_S, PaperClerk, about, client_of
from tests.tools.model_client import CHAT, GEMINI, RESPONSES, Ask
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
        (refusal,) = client.gateway.seen.refused
        assert refusal == client.gateway.seen.over_budget
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

    def need(self, earlier: Iterable[CountedRequest]) -> CostBound:
        self.looked.set()
        return super().need(earlier)


def watched(max_tokens: int) -> Watched:
    return Watched(WIRES["anthropic"], "m", PRICES.row("anthropic", "m"), b"{}", {"max_tokens": max_tokens})


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
    assert granted.grant.output == 1_100
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
    assert (used.requests, used.cost_usd) == (1, about(1_002 * 2e-6 + 1_500 * 5e-6))


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
    assert granted.grant.output == 1_900


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
        assert not client.gateway.seen.over_budget


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
        assert not client.gateway.seen.over_budget
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
        def spent(self, usd: float, held_usd: float = 0.0) -> None:
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
        asking = PricedRequest(WIRES["anthropic"], "m", PRICES.row("anthropic", "m"), body, {"max_tokens": asked})
        flight = ledger.open(asking)
        if isinstance(flight, str):
            continue
        prompt = sum(byte < 256 * weight for byte in body)  # which bytes are tokens of their own
        if answers_at_all:
            told = AnswerFacts(Tokens(cache_write=prompt, output=int(flight.grant.output * written)), final=ends)
            flight.meter = Meter(lambda _: AnswerFacts(), streamed=True, facts=told)
        ledger.settle(flight)
        ledger.settle(flight)
    assert all(total <= budget_usd for total in accounting.sums)
    assert ledger.close().cost_usd == (accounting.sums[-1] if accounting.sums else 0)
