"""Whoever waits for a piece of work gets its result or its error, and its memory is not kept."""

import weakref
from concurrent.futures import Future

import pytest

from reknit.adapters.settled_future import call_for_result, settle


class Large:
    """Stands for what the work had in memory."""


def test_the_result_is_passed_on() -> None:
    done: Future[int] = Future()
    settle(done, lambda: 3)
    assert done.result(timeout=0) == 3


@pytest.mark.parametrize(
    "problem", [ValueError("x"), MemoryError(), AssertionError()], ids=lambda each: type(each).__name__
)
def test_any_error_is_passed_on_and_not_raised(problem: Exception) -> None:
    def work() -> None:
        raise problem

    done: Future[None] = Future()
    settle(done, work)
    assert done.exception(timeout=0) is problem
    assert call_for_result(work) is problem


def test_what_a_failed_work_had_in_memory_goes_with_its_future() -> None:
    def work() -> weakref.ref[Large]:
        large = Large()
        kept.append(weakref.ref(large))
        raise ValueError

    kept: list[weakref.ref[Large]] = []
    done: Future[weakref.ref[Large]] = Future()
    settle(done, work)
    assert kept[0]() is not None
    del done
    assert kept[0]() is None
