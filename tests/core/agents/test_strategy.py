"""Strategies by attempt."""

import pytest

from reknit.core.agents.strategy import Strategy, choose_strategy, escalate_from


@pytest.mark.parametrize(
    ("attempt", "strategy"),
    [
        pytest.param(1, "local", id="first the code alone"),
        pytest.param(2, "search", id="then the web too"),
        pytest.param(3, "deep", id="then a wide look"),
        pytest.param(9, "deep", id="and that for ever after"),
    ],
)
def test_each_attempt_may_do_more(attempt: int, strategy: str) -> None:
    assert choose_strategy(attempt) == strategy


@pytest.mark.parametrize(
    ("last", "strategies"),
    [
        pytest.param(1, ["local", "deep"], id="a single attempt looks at the code"),
        pytest.param(2, ["local", "deep"], id="the second of two is the last"),
        pytest.param(3, ["local", "search"], id="the second of three is not"),
    ],
)
def test_the_last_attempt_looks_more_widely(last: int, strategies: list[str]) -> None:
    assert [choose_strategy(attempt, last) for attempt in (1, 2)] == strategies


@pytest.mark.parametrize(
    ("first", "strategies"),
    [
        pytest.param("local", ["local", "search", "deep", "deep"], id="as usual"),
        pytest.param("search", ["search", "deep", "deep", "deep"], id="with the web from the start"),
        pytest.param("deep", ["deep", "deep", "deep", "deep"], id="with a wide look from the start"),
    ],
)
def test_a_first_attempt_may_use_more(first: Strategy, strategies: list[str]) -> None:
    assert [escalate_from(first, attempt) for attempt in (1, 2, 3, 4)] == strategies
