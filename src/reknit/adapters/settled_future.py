"""Pass the result or the exception of a piece of work to its caller in another thread or process."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

R = TypeVar("R")


def settle(future: "Future[R]", work: Callable[[], R]) -> None:
    """Run `work` at the top of a thread or process of ours: whatever it raises, `future` is done afterwards."""
    result = call_for_result(work)
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
    del future, result  # the error's traceback holds this frame: a cycle that would keep what the work had in memory


def call_for_result(work: Callable[[], R]) -> R | Exception:
    """Call `work` and return its result, or the exception that it raised."""
    try:
        return work()
    except Exception as problem:  # noqa: BLE001 - an error that is not passed on leaves its caller waiting forever
        return problem
