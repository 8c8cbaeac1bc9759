"""Starts `python -m MODULE` by forking a Python that has imported all it needs: seconds of CPU become milliseconds."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[2]


class Forked:
    """A process of the server; as much of `subprocess.Popen` as tests use."""

    def __init__(self, arguments: Sequence[str], pid: int, pidfd: int, answer: socket.socket) -> None:
        self.args, self.pid, self.returncode = arguments, pid, None
        self._pidfd, self._answer = os.fdopen(pidfd, "rb", 0), answer

    returncode: int | None

    def poll(self) -> int | None:
        if self.returncode is None and _is_readable(self._answer, 0):
            self._take_answer()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is not None:
            return self.returncode
        if not _is_readable(self._answer, timeout):
            raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
        return self._take_answer()

    def send_signal(self, number: int) -> None:
        """By pidfd: the server may have reaped it already, and the pid may be another's."""
        if self.poll() is None:
            signal.pidfd_send_signal(self._pidfd.fileno(), number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _take_answer(self) -> int:
        with self._answer, self._pidfd:
            said = self._answer.recv(64)
        if not said:
            raise RuntimeError(f"the fork server died before {self.args!r} did")
        self.returncode = int(said)
        return self.returncode


class ForkServer:
    """Starts modules as forks of a process that has imported what they share.

    `with ForkServer(["a.module"]) as server: server.start("another.module", ["word"], env={}, log=path)`
    """

    def __init__(self, imports: Sequence[str], *, env: Mapping[str, str] | None = None) -> None:
        """`imports`: what to import once for all. Not the module that is started: it must be as new as its process.

        `env` is that of the imports alone; a process gets its own.
        """
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        argv = [sys.executable, "-m", "tests.tools.forking", str(theirs.fileno()), *imports]
        with theirs:
            fds = [theirs.fileno()]
            self._process = subprocess.Popen(argv, cwd=ROOT, env=env or {}, stdin=subprocess.DEVNULL, pass_fds=fds)

    def start(self, module: str, arguments: Sequence[str], *, env: Mapping[str, str], log: Path) -> Forked:
        """Any thread may ask. stdout and stderr are appended to `log`; stdin is empty; the folder is the checkout."""
        with log.open("ab") as output:
            return self.fork(module, arguments, env=env, folder=ROOT, outputs=(output.fileno(), output.fileno()))

    def fork(
        self, module: str, arguments: Sequence[str], *, env: Mapping[str, str], folder: Path, outputs: tuple[int, int]
    ) -> Forked:
        """`outputs`: the files that become its stdout and stderr."""
        words = {"module": module, "arguments": list(arguments), "environment": dict(env), "folder": str(folder)}
        answer, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        said, fds = b"", [0]
        with theirs, contextlib.suppress(ConnectionError):
            socket.send_fds(self._orders, [json.dumps(words).encode()], [theirs.fileno(), *outputs])
            theirs.close()
            said, fds, _, _ = socket.recv_fds(answer, 64, 1)
        if not said:
            answer.close()
            raise RuntimeError("the fork server is dead; it said why on stderr")
        return Forked((module, *arguments), int(said), fds[0], answer)

    def close(self) -> None:
        """Whatever it forked and still runs is killed."""
        self._orders.close()
        self._process.wait(timeout=30)

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _is_readable(source: socket.socket, within_s: float | None) -> bool:
    ready = select.poll()
    ready.register(source, select.POLLIN)
    return bool(ready.poll(None if within_s is None else within_s * 1000))
