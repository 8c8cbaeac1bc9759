"""A named pipe held open by processes under test: its reader learns without waiting whether one of them still lives."""

import os
import select
from pathlib import Path

DAEMON = """\
import os, signal, sys, time
for polite in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(polite, signal.SIG_IGN)
pipe = os.open(sys.argv[1], os.O_WRONLY)
leaves = int(sys.argv[2])
for _ in range(3):
    if os.fork() == 0:
        if leaves:
            os.setsid()
        if os.fork() == 0:
            os.write(pipe, b"u")
            time.sleep(600)
        os._exit(0)
time.sleep(600)
"""
"""Three daemons that hold the pipe: argv 1 is the pipe, argv 2 says whether they leave the session."""


class Lifeline:
    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def wait_until_up(self, count: int = 3) -> None:
        """Until so many processes have said that they are there."""
        for _ in range(count):
            assert self._next(10.0) == b"u"

    def is_cut(self, within_s: float = 0.0) -> bool:
        """Is nobody left who holds the pipe?"""
        return self._next(within_s) == b""

    def _next(self, within_s: float) -> bytes | None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN | select.POLLHUP)
        return os.read(self._fd, 1) if poll.poll(within_s * 1000) else None

    def close(self) -> None:
        os.close(self._fd)
