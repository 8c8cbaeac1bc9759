"""The only module that starts processes: short trusted commands with `run`, boxes through the `spawner`."""

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from reknit.adapters.settled_future import settle
from reknit.core.errors import InternalError, ToolMissing

Child = subprocess.Popen[bytes]
Detached = subprocess.Popen[bytes]


class ProcessTimeout(InternalError):
    """One of our short commands exceeded its timeout; its process group was killed."""


@dataclass(frozen=True)
class Completed:
    exit_code: int
    stdout: bytes
    stderr: bytes


def run(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: str | None = None, stdin: bytes = b"", timeout_s: float = 60.0
) -> Completed:
    """Run a short, trusted command on the host. No process of it is left when this returns or raises."""
    child = _start(argv, env=env, cwd=cwd)
    try:
        stdout, stderr = child.communicate(stdin, timeout=timeout_s)
    except subprocess.TimeoutExpired as late:
        raise ProcessTimeout("process-timeout", f"{argv[0]!r} did not finish within {timeout_s:g} s") from late
    finally:
        if child.poll() is None:
            kill_group(child.pid)
            child.wait()
        close_pipes(child)
    return Completed(child.returncode, stdout, stderr)


def start_detached(argv: Sequence[str], *, env: Mapping[str, str]) -> Detached:
    """Start a process of ours that outlives this one and has no pipes to it."""
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(
        list(argv), env=dict(env), stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
    )


def kill_group(pid: int) -> None:
    """Kill a child that leads its own group and is not reaped yet, with every process still in that group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def close_pipes(child: Child) -> None:
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()


def _start(argv: Sequence[str], *, env: Mapping[str, str], cwd: str | None, pass_fds: Sequence[int] = ()) -> Child:
    try:
        return subprocess.Popen(
            list(argv),
            env=dict(env),
            cwd=cwd,
            pass_fds=tuple(pass_fds),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (FileNotFoundError, NotADirectoryError, PermissionError) as refused:
        if cwd is not None and refused.filename == cwd:
            raise InternalError("no-folder", f"cannot run {argv[0]!r} in {cwd!r}: {refused.strerror}") from refused
        what = f"{argv[0]!r} could not be started: {refused.strerror}"
        raise ToolMissing("tool-missing", what, help="install it or put it on PATH") from refused


_Request = tuple[Callable[[], Child], "Future[Child]"]


class Spawner:
    """Starts every box from one thread that never ends: bwrap's --die-with-parent watches the starting THREAD."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: str | None = None, pass_fds: Sequence[int] = ()
    ) -> Child:
        """Start a child with three pipes in its own session. The caller reaps it."""
        answer: Future[Child] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="reknit-spawner", daemon=True)
                self._thread.start()
        self._asked.put((lambda: _start(argv, env=env, cwd=cwd, pass_fds=pass_fds), answer))
        return answer.result()

    def _work(self) -> None:
        while True:
            start, answer = self._asked.get()
            settle(answer, start)


_spawners: dict[int, Spawner] = {}


def spawner() -> Spawner:
    """The spawner of this process. Keyed by pid: a forked child has neither the thread nor a lock it can trust."""
    return _spawners.setdefault(os.getpid(), Spawner())
