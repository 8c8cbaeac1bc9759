"""Calls a function on untrusted text in this process, for short commands: a child process would take half a second."""

import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar, TypeVarTuple

from reknit.core.text.work_limits import Unfinished, WorkLimits

Given = TypeVarTuple("Given")
R = TypeVar("R")


def call_here(limits: WorkLimits, function: Callable[[*Given], R], *given: *Given) -> R | Unfinished:
    """Only in the main thread: the limit is a signal. Patterns look for signals while they match."""
    try:
        with alarm(limits.wall_s), _memory(limits.memory_bytes):
            return function(*given)
    except TooLong:
        return Unfinished(f"took longer than {limits.wall_s:g} s")
    except (MemoryError, RecursionError):
        return Unfinished(f"needed more than {limits.memory_bytes >> 20} MB of memory, or recursed too deeply")


class TooLong(BaseException):
    """No `except Exception` on the way may stop it."""


@contextmanager
def alarm(wall_s: float) -> Iterator[None]:
    """Raises `TooLong` in what is inside. Only in the main thread."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    rest = signal.setitimer(signal.ITIMER_REAL, wall_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *rest)


@contextmanager
def _memory(most: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
