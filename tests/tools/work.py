"""How much work a call is, so that a slow or busy machine changes no result."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_QUICKLY_S = 20.0


def lines_run(work: Callable[[], object]) -> int:
    """The lines of Python it runs: the same number each time."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@contextmanager
def quickly() -> Iterator[None]:
    """Ten times as much processor time as it takes, and far less than it would if it were squared."""
    began = time.thread_time()
    yield
    spent = time.thread_time() - began
    assert spent < _QUICKLY_S, f"{spent:.1f} s"
