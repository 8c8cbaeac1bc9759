"""A command in a real terminal: what a person reads there, types, and interrupts."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

CTRL_C = "\x03"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """Starts a new session with the terminal as its own, so that Ctrl-C reaches the program as it does for a person."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._ours, theirs = pty.openpty()
        self.text = ""
        self.child = subprocess.Popen(
            [sys.executable, "-c", _ATTACHED, *arguments],
            cwd=folder,
            env={**environment, "TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        os.close(self._ours)

    def until(self, words: str, within_s: float = 60) -> None:
        deadline = time.monotonic() + within_s
        while words not in self.text:
            assert self._read(deadline), f"no {words!r} in {self.text!r}"

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def end(self, within_s: float = 60) -> int:
        deadline = time.monotonic() + within_s
        while self._read(deadline):
            pass
        return self.child.wait(timeout=within_s)

    def _read(self, deadline: float) -> bool:
        """False: the program is gone, or the time is over."""
        ready, _, _ = select.select([self._ours], [], [], max(deadline - time.monotonic(), 0))
        try:
            data = os.read(self._ours, 65_536) if ready else b""
        except OSError:  # nobody has the other side open any more
            data = b""
        self.text += _ESCAPES.sub("", data.decode("utf-8", "replace"))
        return bool(data)


_ATTACHED = """
import fcntl, runpy, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
sys.argv = ["reknit", *sys.argv[1:]]
runpy.run_module("reknit", run_name="__main__")
"""
