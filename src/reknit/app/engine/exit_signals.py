"""Ctrl-C, a closed terminal and a service manager's TERM: asked once, they wait for a moment that can be left."""

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
"""A live view hid it, and is not asked to put it back."""

Pause = Callable[[float], bool]
"""Waits so many seconds, less when asked to leave; says whether that was asked."""


@contextlib.contextmanager
def leaving_on_signals() -> Iterator[Pause]:
    """A second Ctrl-C interrupts whatever goes on, should that hang; other signals may come twice without meaning it.

    The first one does not: Python drops an exception that is raised inside a finalizer or a callback, and with it the
    wish to leave. A SimpleQueue, because an Event that is set by a handler can wait for its own lock.
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

    heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]  # `nohup` means it
    before = {number: signal.signal(number, leave) for number in heard}
    try:
        yield pause
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_at_once(words: str, exit_code: int) -> None:
    """Ends this process now, and its boxes with it. A reader that does not read must not delay the end."""
    text = f"{_SHOW_CURSOR if os.isatty(STDERR) else ''}\n{words}\n".encode()
    with contextlib.suppress(OSError):
        if select.select([], [STDERR], [], 0)[1]:
            os.write(STDERR, text[: select.PIPE_BUF])
    os._exit(exit_code)
