"""Handles SIGINT, SIGTERM and SIGHUP: the first one only asks to leave, at the next safe moment."""

import contextlib
import os
import queue
import select
import signal
from collections.abc import Callable, Iterator
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

STDERR = 2
_SHOW_CURSOR = "\r\x1b[K\x1b[?25h"
"""A live view hid the cursor and gets no chance to restore it."""

Pause = Callable[[float], bool]
"""Waits for that many seconds, less if asked to leave; returns whether it was asked."""


@contextlib.contextmanager
def leaving_on_signals() -> Iterator[Pause]:
    """A second Ctrl-C interrupts whatever is running, in case it hangs; other signals may repeat unintentionally.

    The first one does not: Python drops an exception raised inside a finalizer or a callback, and with it the request
    to leave. A SimpleQueue, because an Event set in a signal handler can deadlock on its own lock.
    """
    asked: queue.SimpleQueue[None] = queue.SimpleQueue()

    def leave(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT and not asked.empty():
            raise KeyboardInterrupt
        asked.put(None)

    def pause(seconds: float) -> bool:
        with contextlib.suppress(queue.Empty):
            asked.get(timeout=seconds)
            asked.put(None)
        return not asked.empty()

    heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]  # respects `nohup`
    before = {number: signal.signal(number, leave) for number in heard}
    try:
        yield pause
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_at_once(words: str, exit_code: int) -> None:
    """End this process now, and its boxes with it. A full stderr pipe must not delay the end."""
    text = f"{_SHOW_CURSOR if os.isatty(STDERR) else ''}\n{words}\n".encode()
    with contextlib.suppress(OSError):
        if select.select([], [STDERR], [], 0)[1]:
            os.write(STDERR, text[: select.PIPE_BUF])
    os._exit(exit_code)
