"""Passes what a piece of work returned or raised to whoever waits for it."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

R = TypeVar("R")


def settle(future: "Future[R]", work: Callable[[], R]) -> None:
    """Run `work` at the top of a thread or process of ours: whatever it raises, `future` is done afterwards."""
    try:
        future.set_result(work())
    except Exception as problem:  # noqa: BLE001 - an error that is not passed on leaves its caller waiting forever
        future.set_exception(problem)
    finally:
        del future  # the error's traceback holds this frame: a cycle that would keep what the work had in memory
