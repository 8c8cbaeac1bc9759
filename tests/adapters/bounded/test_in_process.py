"""A function that takes too long or too much is ended, and this process is as before."""

import re
import resource
import signal

import pytest

from reknit.adapters.bounded.in_process import call_here
from reknit.core.text.untrusted_input import UnfinishedWork, WorkLimits

LIMITS = WorkLimits(wall_s=60.0, memory_bytes=64 << 30)
SOON = WorkLimits(wall_s=0.05, memory_bytes=64 << 30)


def state() -> tuple[object, ...]:
    """The timer that was running, if only just, still runs."""
    is_timed = signal.getitimer(signal.ITIMER_REAL)[0] > 1
    return signal.getsignal(signal.SIGALRM), is_timed, resource.getrlimit(resource.RLIMIT_AS)


def test_a_result_is_returned() -> None:
    before = state()
    assert call_here(LIMITS, lambda one, other: one + other, 1, 2) == 3
    assert state() == before


def test_a_pattern_that_never_ends_is_ended() -> None:
    before = state()
    hostile = re.compile(r"(a|aa)+$")
    assert call_here(SOON, hostile.match, "a" * 100 + "b") == UnfinishedWork("took longer than 0.05 s")
    assert state() == before


def test_memory_and_recursion_are_limited() -> None:
    def deeper(depth: int) -> int:
        return deeper(depth + 1)

    before = state()
    for function, given in ((bytearray, 1 << 40), (deeper, 0)):
        found = call_here(LIMITS, function, given)
        assert isinstance(found, UnfinishedWork)
        assert "or recursed too deeply" in found.why
    assert state() == before


def test_other_problems_are_those_of_the_function() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        call_here(LIMITS, int, "x")
