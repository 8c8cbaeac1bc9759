"""Passes what a piece of work returned or raised to whoever waits for it."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

R = TypeVar("R")


def settle(future: "Future[R]", work: Callable[[], R]) -> None:
    """Run `work` at the top of a thread or process of ours: whatever it raises, `future` is done afterwards."""
    result = result_or_error(work)
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
    del future, result  # the error's traceback holds this frame: a cycle that would keep what the work had in memory


def result_or_error(work: Callable[[], R]) -> R | Exception:
    try:
        return work()
    except Exception as problem:  # noqa: BLE001 - an error that is not passed on leaves its caller waiting forever
        return problem
