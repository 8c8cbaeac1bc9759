"""The money of a call: what is set aside, what is charged, and that the cap is never passed."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.gateway.budget import MAX_SEARCHES, SEARCH_TOKENS, CallBudget, CostBound, Reservation, to_call_budget
from reknit.core.gateway.metering import AnswerFacts, Tokens
from reknit.core.gateway.prices import PER_USD, PriceRow, Prices

ROW = PriceRow("m", Prices(input=1, cached=0, cache_write=2, cache_write_short=1, output=5))
NEED = CostBound(ROW, prompt=1_000, output=10_000, least_output=1_024)


def test_a_dollar_is_counted_exactly_and_never_rounded_up() -> None:
    assert to_call_budget(0.1).budget == 100_000_000_000
    assert to_call_budget(0.7).budget == 699_999_999_999
    assert CallBudget(PER_USD, settled=PER_USD // 4).sums_usd == (0.25, 0.0)


@pytest.mark.parametrize(
    ("budget", "output"),
    [
        pytest.param(52_000, 10_000, id="all that was asked for"),
        pytest.param(10**9, 10_000, id="never more"),
        pytest.param(51_999, 9_999, id="a little less"),
        pytest.param(2_000 + 5 * 1_024, 1_024, id="just enough to be worth it"),
        pytest.param(2_000 + 5 * 1_024 - 1, None, id="not worth it"),
        pytest.param(1_999, None, id="not even the prompt"),
    ],
)
def test_as_much_output_as_there_is_money_for(budget: int, output: int | None) -> None:
    grant = CallBudget(budget).grant(NEED)
    assert (grant.output if grant else None) == output
    assert grant is None or grant.worst <= budget


def test_who_asks_for_little_gets_it() -> None:
    assert CallBudget(2_005).grant(replace(NEED, output=1)) == Reservation(replace(NEED, output=1), 1)
    assert CallBudget(2_000).grant(replace(NEED, output=1)) is None
    assert CallBudget(2_000).grant(replace(NEED, output=0)) == Reservation(replace(NEED, output=0), 0)


def test_a_model_that_costs_nothing_gets_all_it_asks_for() -> None:
    free = replace(NEED, row=PriceRow("m", Prices(0, 0, 0, 0, 0)))
    assert CallBudget(0).grant(free) == Reservation(free, 10_000)


def test_what_is_on_its_way_is_not_given_twice() -> None:
    call_budget = CallBudget(55_000)
    first = call_budget.grant(NEED)
    assert first
    call_budget = call_budget.reserve(first)
    assert (call_budget.total, call_budget.grant(NEED)) == (52_000, None)
    call_budget = call_budget.settle(first, 3_000)
    assert (call_budget.total, call_budget.settled, call_budget.open) == (3_000, 3_000, ())
    assert call_budget.grant(NEED) is not None


def test_a_search_is_set_aside_with_what_it_may_find() -> None:
    need = replace(NEED, search_cost=7)
    assert need.fixed_cost == (1_000 + SEARCH_TOKENS) * 2 + MAX_SEARCHES * 7
    facts = AnswerFacts(Tokens(input=3, searches=2), final=True)
    assert Reservation(need, 10).compute_cost(facts, is_started=True) == 3 + 14


def test_the_prices_of_a_long_prompt_count_when_it_may_be_long() -> None:
    row = replace(ROW, long=Prices(10, 10, 20, 20, 50), above=1_000)
    assert (replace(NEED, row=row).fixed_cost, replace(NEED, row=row).output_price) == (2_000, 5)
    longer = replace(NEED, row=row, prompt=1_001)
    assert (longer.fixed_cost, longer.output_price) == (20_020, 50)
    assert replace(NEED, row=row, search_cost=1).output_price == 50


@pytest.mark.parametrize(
    ("told", "begun", "cost"),
    [
        pytest.param(
            AnswerFacts(Tokens(input=10, cache_write=4, output=3), final=True), True, 33, id="by its last counts"
        ),
        pytest.param(
            AnswerFacts(Tokens(input=10), final=True, status=529), True, 10, id="an error after its last counts"
        ),
        pytest.param(AnswerFacts(), False, None, id="cut before anything came: nobody knows"),
        pytest.param(AnswerFacts(Tokens(input=10, output=1)), True, None, id="cut after its first counts"),
        pytest.param(AnswerFacts(status=529), False, 0, id="an error in place of an answer"),
        pytest.param(AnswerFacts(status=529), True, None, id="an error in the middle of an answer"),
        pytest.param(AnswerFacts(Tokens(input=10, output=1), status=529), True, None, id="an error after first counts"),
    ],
)
def test_what_a_request_cost(told: AnswerFacts, begun: bool, cost: int | None) -> None:
    assert Reservation(NEED, 10_000).compute_cost(told, is_started=begun) == cost


def test_a_request_of_unknown_cost_stays_reserved_and_is_not_spent() -> None:
    grant = Reservation(NEED, 10_000)
    call_budget = CallBudget(100_000).reserve(grant).reserve(grant).settle(grant, 7).settle(grant, None)
    assert (call_budget.settled, call_budget.cut_off, call_budget.open) == (7, 52_000, ())
    assert call_budget.sums_usd == (7 / PER_USD, 52_000 / PER_USD)


@dataclass(frozen=True)
class Step:
    """A request of random size, and what an honest provider made of it."""

    need: CostBound
    share: tuple[float, float, float, float]
    """Of the prompt: real, cached, written; of the output."""
    final: bool
    begun: bool
    ends: int
    """Which of the requests on their way ends next."""


prices = st.builds(Prices, *(st.integers(0, 600_000_000) for _ in range(5)))
rows = st.builds(
    lambda short, long, above: PriceRow("m", short, long, above), prices, st.none() | prices, st.integers(1, 300_000)
)
part = st.floats(0, 1)
needs = st.builds(
    CostBound,
    row=rows,
    prompt=st.integers(0, 400_000),
    output=st.integers(0, 128_000),
    least_output=st.integers(0, 2_048),
    search_cost=st.sampled_from([0, PER_USD // 100]),
)
steps = st.builds(Step, needs, st.tuples(part, part, part, part), st.booleans(), st.booleans(), st.integers(0, 9))


def answer_of(step: Step, grant: Reservation) -> AnswerFacts:
    """True tokens never exceed the bound, nor the output what was allowed."""
    real, cached_part, written_part, output_part = step.share
    prompt = int((grant.bound.prompt + (SEARCH_TOKENS if grant.bound.search_cost else 0)) * real)
    cached = int(prompt * cached_part)
    written = int((prompt - cached) * written_part)
    short = int(written * output_part)
    searches = int(MAX_SEARCHES * output_part)
    output = int(grant.output * output_part)
    return AnswerFacts(Tokens(prompt - cached - written, written, short, cached, output, searches), final=step.final)


@given(st.floats(0, 50, allow_nan=False), st.lists(steps, max_size=12))
def test_the_cap_is_never_passed(budget_usd: float, sequence: list[Step]) -> None:
    call_budget, flying = to_call_budget(budget_usd), list[tuple[Step, Reservation]]()
    for step in sequence:
        grant = call_budget.grant(step.need)
        if grant:
            call_budget = call_budget.reserve(grant)
            flying.append((step, grant))
        assert sum(call_budget.sums_usd) <= budget_usd
        if flying and step.ends % 2:
            ended, its_grant = flying.pop(step.ends % len(flying))
            cost = its_grant.compute_cost(answer_of(ended, its_grant), is_started=ended.begun)
            assert cost is None or 0 <= cost <= its_grant.worst
            call_budget = call_budget.settle(its_grant, cost)
        assert sum(call_budget.sums_usd) <= budget_usd
