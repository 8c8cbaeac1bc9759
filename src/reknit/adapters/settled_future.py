"""Pass the result or the exception of a piece of work to its caller in another thread or process."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

R = TypeVar("R")


def settle(future: "Future[R]", work: Callable[[], R]) -> None:
    """Run `work` as the whole task of a thread, and pass its result or exception to `future`."""
    result = call_for_result(work)
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
    del future, result  # the traceback of an error refers to this frame: the cycle would keep the data in memory


def call_for_result(work: Callable[[], R]) -> R | Exception:
    """Call `work` and return its result, or the exception that it raised."""
    try:
        return work()
    except Exception as problem:  # noqa: BLE001 - without the error, the caller would wait forever
        return problem
