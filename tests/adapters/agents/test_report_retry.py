"""A second start is part of the same call: it has what is left of its time and money, and adds to its sums."""

import dataclasses

import pytest

from reknit.adapters.agents.report_retry import (
    RetryAccounting,
    account_name,
    join_calls,
    list_refused_answers,
    make_access,
    make_retry_order,
    read_key,
)
from reknit.core.agent_reports.values import RefusedAnswer, Role
from reknit.core.agents.call import Aborted, AgentCall, AgentOrder, Done, Outcome, Usage
from reknit.core.agents.strategy import Strategy
from reknit.core.gateway.access import GatewayObservation, compute_request_limit
from reknit.core.gateway.metering import ProviderRefusal
from tests.tools.gateway_client import PaperClerk

ORDER = AgentOrder("r", 1, "local", "Review.", 100.0, 50.0, 5, budget_usd=1.0, folder="/f", role="review")
MISSING = Aborted("invalid_output", "no report received")


def call(outcome: Outcome = MISSING, *, seconds: float = 30.0, cost_usd: float = 0.4) -> AgentCall:
    return AgentCall(outcome, Usage(10, 1, 5, 2, cost_usd), seconds, "said", ("a path",))


def test_it_has_what_is_left() -> None:
    again = make_retry_order(ORDER, call())
    assert again is not None
    assert (again.wall_s, again.budget_usd, again.idle_s, again.role) == (70.0, 0.6, 50.0, "review")
    assert again.prompt.startswith("Review.\n\n")
    assert "no report received" in again.prompt


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(call(Done()), id="nothing was wrong"),
        pytest.param(call(Aborted("crashed")), id="something else was wrong"),
        pytest.param(call(seconds=100.0), id="no time is left"),
        pytest.param(call(cost_usd=1.0), id="no money is left"),
    ],
)
def test_it_is_not_always_given(first: AgentCall) -> None:
    assert make_retry_order(ORDER, first) is None


def test_the_second_answer_counts_and_the_sums_are_of_both() -> None:
    both = join_calls(call(), call(Done(), seconds=5.0, cost_usd=0.1))
    assert (both.outcome, both.seconds, both.refusals) == (Done(), 35.0, ("a path",))
    assert both.usage == Usage(20, 2, 10, 4, 0.5, 0.0)


def test_the_books_go_on_where_the_first_start_ended() -> None:
    accounting, limit = PaperClerk(until=9.0), ProviderRefusal(429)
    books = RetryAccounting(accounting, Usage(cost_usd=0.1, held_usd=0.3))
    books.record_cost(0.1)
    books.accounts.record_limit("a", limit)
    books.accounts.record_success("a")
    assert (accounting.sums, accounting.limits, accounting.served_accounts) == ([0.5], [("a", limit)], ["a"])
    assert books.accounts.not_before("a") == 9.0


PLAN = dataclasses.replace(ORDER, role="plan")
NO_PLAN = Aborted("invalid_output", "propose_plan was refused: confidence")
ONE, TWO = (RefusedAnswer("{}", "one"),), (RefusedAnswer("{}", "one"), RefusedAnswer("{}", "two"))


@pytest.mark.parametrize(("refused", "answers"), [((), 1), (ONE, 1), (TWO, None)])
def test_a_plan_has_two_answers_in_all(refused: tuple[RefusedAnswer, ...], answers: int | None) -> None:
    again = make_retry_order(PLAN, AgentCall(NO_PLAN, refused_answers=refused))
    assert (again.answers if again else None) == answers


def test_prose_is_a_refused_answer() -> None:
    seen = GatewayObservation(report_problem="propose_plan was never called")
    assert list_refused_answers(seen, PLAN, "Sure! Here is a plan") == (
        RefusedAnswer("Sure! Here is a plan", "propose_plan was never called"),
    )
    assert list_refused_answers(seen, ORDER, "Sure!") == ()
    assert list_refused_answers(seen, PLAN, "") == ()
    assert list_refused_answers(dataclasses.replace(seen, refused_answers=ONE), PLAN, "Sure!") == ONE


@pytest.mark.parametrize(
    ("given", "key"),
    [
        pytest.param("sk-1\r\n", "sk-1", id="the end of a line"),
        pytest.param("sk-1\nx-evil: 1", "", id="a second line"),
        pytest.param("sk 1", "", id="a blank"),
        pytest.param("sk-ü", "", id="a letter no key has"),
    ],
)
def test_a_key_is_one_word(given: str, key: str) -> None:
    assert read_key({"K": given}, "K") == key


def test_an_account_is_the_same_for_the_same_key_of_the_same_provider() -> None:
    assert account_name("openai", "sk-1") == account_name("openai", "sk-1") != account_name("anthropic", "sk-1")
    assert "sk-1" not in account_name("openai", "sk-1")
    assert account_name("openai", "") == ""


@pytest.mark.parametrize(
    ("strategy", "role", "searches"),
    [
        pytest.param("search", "fix", True, id="a fixer whose turn it is to search"),
        pytest.param("local", "fix", False, id="a fixer before that"),
        pytest.param("search", "review", False, id="a reviewer never"),
    ],
)
def test_only_a_fixer_may_search(strategy: Strategy, role: Role, searches: bool) -> None:
    order = AgentOrder("r-1", 1, strategy, "Fix it.", 30, 30, 7, 1.5, "/nowhere", role)
    access = make_access(order, "openai", upstream="https://x", key="sk-1", model="m")
    assert (access.allow_search, access.role, access.budget_usd) == (searches, role, 1.5)
    assert (access.max_requests, access.account) == (compute_request_limit(7), account_name("openai", "sk-1"))
    assert "sk-1" not in repr(access)
