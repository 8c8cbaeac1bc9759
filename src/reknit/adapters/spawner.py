"""Starts every box from one thread that never ends."""

import os
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from reknit.adapters import process
from reknit.adapters.process import Child
from reknit.adapters.settled_future import settle

_Request = tuple[Callable[[], Child], "Future[Child]"]


class Spawner:
    """A thread that starts processes and never ends: bwrap's --die-with-parent kills a box with its starting THREAD."""

    def __init__(self) -> None:
        self._requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: str | None = None, pass_fds: Sequence[int] = ()
    ) -> Child:
        """Start a child with three pipes in its own session. The caller reaps it."""
        answer: Future[Child] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve_requests, name="reknit-spawner", daemon=True)
                self._thread.start()
        self._requests.put((lambda: process.start(argv, env=env, cwd=cwd, pass_fds=pass_fds), answer))
        return answer.result()

    def _serve_requests(self) -> None:
        while True:
            start, answer = self._requests.get()
            settle(answer, start)


_spawners: dict[int, Spawner] = {}


def get_spawner() -> Spawner:
    """Return the spawner of this process. A forked child gets its own, because it has no thread of its parent."""
    return _spawners.setdefault(os.getpid(), Spawner())
