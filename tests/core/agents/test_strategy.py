"""Strategies by attempt."""

import pytest

from reknit.core.agents.strategy import strategy_of


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
    assert strategy_of(attempt) == strategy
