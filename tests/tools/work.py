"""How much work a call is, so that a slow or busy machine changes no result."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

_QUICKLY_S = 20.0
_ROUNDS = 9


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


def cpu_s(argv: Sequence[str], **given: Any) -> float:
    """Of a process that ends well; unmeasured, because measuring has its own cost."""
    environment: Mapping[str, str] = given.pop("env", os.environ)
    bare = {key: value for key, value in environment.items() if not key.startswith(("COV_", "COVERAGE_"))}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, env=bare, stdout=subprocess.DEVNULL, check=True, **given)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def costs_at_most(times: float, ours: Callable[[], float], anchor: Callable[[], float]) -> bool:
    """In turn, since a busy machine slows both, and again if it is late: the shortest time of each is its own."""
    spent = base = float("inf")
    for _ in range(_ROUNDS):
        spent, base = min(spent, ours()), min(base, anchor())
        if spent <= times * base:
            return True
    return False
