"""Calls functions on untrusted text in this process, for short commands: a child process would take half a second."""

import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar, TypeVarTuple

from reknit.core.text.untrusted_input import UnfinishedWork, WorkLimits

Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")


def call_here(limits: WorkLimits, function: Callable[[*Arguments], R], *arguments: *Arguments) -> R | UnfinishedWork:
    """Call the function, in the main thread only: a signal stops it at the time limit, also in a regular expression."""
    try:
        with limit_time(limits.wall_s), _limit_memory(limits.memory_bytes):
            return function(*arguments)
    except TimeLimitError:
        return UnfinishedWork(f"took longer than {limits.wall_s:g} s")
    except (MemoryError, RecursionError):
        return UnfinishedWork(f"needed more than {limits.memory_bytes >> 20} MB of memory, or recursed too deeply")


class TimeLimitError(BaseException):
    """The time limit was reached. This is no `Exception`, so that no `except Exception` on the way catches it."""


@contextmanager
def limit_time(wall_s: float) -> Iterator[None]:
    """Raise `TimeLimitError` in the block after this time. Works only in the main thread."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeLimitError

    before = signal.signal(signal.SIGALRM, stop)
    previous_timer = signal.setitimer(signal.ITIMER_REAL, wall_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *previous_timer)


@contextmanager
def _limit_memory(most_bytes: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(
        resource.RLIMIT_AS, (most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard), hard)
    )
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
