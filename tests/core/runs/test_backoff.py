"""How long is waited for a provider: never shorter than it said, and not everybody in the same second."""

import pytest

from reknit.core.runs.backoff import MAX_WAIT_S, compute_rest_s, compute_shortest_wait_s, compute_wait_s
from reknit.core.runs.limits import Limits


@pytest.mark.parametrize(
    ("until", "waits", "expected"),
    [
        pytest.param(None, 0, 30.0, id="the first wait"),
        pytest.param(None, 2, 120.0, id="it doubles"),
        pytest.param(None, 500, 3600.0, id="never more than an hour"),
        pytest.param(1050.0, 9, 50.0, id="the provider named a time"),
        pytest.param(900.0, 0, 1.0, id="that time is over: a moment all the same"),
    ],
)
def test_how_long_a_wait_is(until: float | None, waits: int, expected: float) -> None:
    waited = compute_wait_s(until, waits, Limits(), now=1000.0, run_id="r-1")
    assert expected <= waited <= expected * 1.05


def test_runs_of_one_account_come_back_one_after_the_other_and_none_too_soon() -> None:
    waits = [compute_wait_s(1060.0, 0, Limits(), 1000.0, f"r-{number}") for number in range(50)]
    assert min(waits) >= 60.0
    assert max(waits) <= 63.0
    assert len(set(waits)) > 30


def test_a_far_time_is_asked_again_after_a_day() -> None:
    waited = compute_wait_s(1e12, 0, Limits(), 1000.0, "r-1")
    assert MAX_WAIT_S <= waited <= MAX_WAIT_S + 20


@pytest.mark.parametrize(("strikes", "expected"), [(0, 1.0), (3, 8.0), (500, 3600.0)])
def test_an_account_that_names_no_time_rests_longer_each_time(strikes: int, expected: float) -> None:
    assert compute_rest_s(strikes) == expected


def test_of_several_that_are_limited_the_first_that_is_free_ends_the_wait() -> None:
    assert 120 <= compute_shortest_wait_s([1000.0 + 86_400, 1120.0], 0, Limits(), 1000.0, "r-1") <= 126
    assert compute_shortest_wait_s([1000.0 + 86_400, None], 0, Limits(), 1000.0, "r-1") == 30.0
