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
"""Waits for that many seconds, or until a signal asks to leave. Returns True if one did."""


@contextlib.contextmanager
def catch_exit_signals() -> Iterator[Pause]:
    """Catch the exit signals, and yield a pause that reports them.

    A second Ctrl-C interrupts whatever is running, in case it hangs; other signals may repeat unintentionally. The
    first one does not interrupt: Python drops an exception raised inside a finalizer or a callback, and with it the
    request to leave. A SimpleQueue, because an Event set in a signal handler can deadlock on its own lock.
    """
    requests: queue.SimpleQueue[None] = queue.SimpleQueue()

    def leave(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT and not requests.empty():
            raise KeyboardInterrupt
        requests.put(None)

    def pause(seconds: float) -> bool:
        with contextlib.suppress(queue.Empty):
            requests.get(timeout=seconds)
            requests.put(None)
        return not requests.empty()

    caught_signals = [
        number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN
    ]  # respects `nohup`
    previous_handlers = {number: signal.signal(number, leave) for number in caught_signals}
    try:
        yield pause
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)


def exit_now(message: str, exit_code: int) -> None:
    """End this process and its boxes at once. A full stderr pipe must not delay the end."""
    text = f"{_SHOW_CURSOR if os.isatty(STDERR) else ''}\n{message}\n".encode()
    with contextlib.suppress(OSError):
        if select.select([], [STDERR], [], 0)[1]:
            os.write(STDERR, text[: select.PIPE_BUF])
    os._exit(exit_code)
