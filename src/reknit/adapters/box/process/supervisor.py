"""Supervises one command until it ends: feeds and reads it, enforces its limits, and leaves no process running."""

import asyncio
import contextlib
import functools
import os
import selectors
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.box.process.process_tree import ProcessTree
from reknit.adapters.box.process.streams import Feed, Head, Tail
from reknit.adapters.settled_future import settle
from reknit.adapters.spawner import get_spawner
from reknit.core.box import CommandLimits, CommandResult, EndReason

STDERR_TAIL_BYTES = 64 * 1024
NOT_STARTED = 125
"""Exit code if the box could not be built and the command never ran; stderr says why."""


@dataclass(frozen=True)
class ProcessStart:
    """Start and input of a command."""

    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: str | None = None
    stdin: bytes = b""
    pass_fds: Sequence[int] = ()
    """Descriptors that are closed here as soon as the child has them."""
    handshake: bool = False
    """True: the child writes one byte and waits for a line first, so that nothing starts if this process has died."""
    pipe_owner: int | None = None
    """The user that the child becomes, if it is not ours. It must own the pipes to open `/dev/stdout`."""
    finish: Callable[[], None] = lambda: None
    """Called when no process of the child is left, or if it could not be started."""


async def supervise(
    prepare: Callable[[], ProcessStart], tree: ProcessTree, *, limits: CommandLimits, transcript: str = ""
) -> CommandResult:
    """Run a command until it ends. Cancelling kills it, waits until no process of it is left, then raises.

    `prepare` may be slow: it runs in the supervising thread, not in the event loop.
    """
    watcher = _Watcher(tree, limits)
    result: Future[CommandResult] = Future()
    work = functools.partial(watcher.run, prepare, transcript)
    threading.Thread(target=settle, args=(result, work), name="reknit-watch", daemon=True).start()
    try:
        return await asyncio.shield(asyncio.wrap_future(result))
    except asyncio.CancelledError:
        watcher.stop()
        await _wait_for_end(result)
        raise
    finally:
        watcher.stop()  # a coroutine that was discarded cannot wait, but it can still request the stop


async def _wait_for_end(result: Future[CommandResult]) -> None:
    """Wait for the end, even if this wait is cancelled: the box must be gone before the caller continues."""
    ended = asyncio.wrap_future(result)
    while not ended.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([ended])
    ended.exception()


class _Watcher:
    def __init__(self, tree: ProcessTree, limits: CommandLimits) -> None:
        self._tree, self._limits = tree, limits
        self._start_s = self._last_output_s = time.monotonic()
        self._wake_read, self._wake_write = os.pipe()
        self._lock = threading.Lock()
        self._is_running = True
        self._has_greeted = False

    def stop(self) -> None:
        with self._lock:
            if self._is_running:
                os.write(self._wake_write, b"x")

    def run(self, prepare: Callable[[], ProcessStart], transcript: str) -> CommandResult:
        with contextlib.ExitStack() as stack:
            stack.callback(self._close)
            copy = stack.enter_context(Path(transcript).open("wb", buffering=0)) if transcript else None
            start = prepare()
            stack.callback(start.finish)
            child = _spawn(start)
            stack.callback(process.close_pipes, child)
            out = Head(child.stdout, self._limits.output_bytes, copy)
            err = Tail(child.stderr, STDERR_TAIL_BYTES)
            try:
                self._tree.attach(child.pid)
                reason = self._watch_child(start, child, out, err)
            finally:
                self._tree.end()
                code = child.wait()
            out.drain()
            err.drain()
        if reason == "exit" and self._is_flooded(out, err):
            reason = "output"  # it ended by itself, but we did not keep all of its output
        if reason == "exit" and start.handshake and not self._has_greeted:
            code = NOT_STARTED
        return CommandResult(reason, code, bytes(out.data), bytes(err.data), time.monotonic() - self._start_s)

    def _close(self) -> None:
        with self._lock:
            self._is_running = False
            os.close(self._wake_read)
            os.close(self._wake_write)

    def _watch_child(self, start: ProcessStart, child: process.Child, out: Head, err: Tail) -> EndReason:
        """Wait until the child exits or must be killed.

        Closed pipes do not count as its exit, because a command can close them and keep running.
        """
        feed = Feed(child.stdin, start.stdin)
        with os.fdopen(os.pidfd_open(child.pid), "rb", 0) as end, selectors.DefaultSelector() as ready:
            for fd in (self._wake_read, end.fileno(), out.fd):
                ready.register(fd, selectors.EVENT_READ)
            if start.handshake and isinstance(reason := self._wait_for_pipes(ready, end.fileno()), str):
                return reason
            if start.handshake:
                self._has_greeted = os.read(out.fd, 1) != b""
                feed.write_first(b"\n")
            ready.register(err.fd, selectors.EVENT_READ)
            ready.register(feed.fd, selectors.EVENT_WRITE)
            while not isinstance(fds := self._wait_for_pipes(ready, end.fileno()), str):
                self._transfer_data(fds, ready, out, err, feed)
                if self._is_flooded(out, err):
                    return "output"
            return fds

    def _wait_for_pipes(self, ready: selectors.BaseSelector, end_fd: int) -> EndReason | set[int]:
        """Return the pipes that are ready to read or write, or why the command is over."""
        while True:
            left_s, reason = self._next_limit()
            if left_s <= 0:
                return reason
            fds = {key.fd for key, _ in ready.select(left_s)}
            if fds & {self._wake_read, end_fd}:
                return "exit"
            if fds:
                return fds

    def _transfer_data(self, fds: set[int], ready: selectors.BaseSelector, out: Head, err: Tail, feed: Feed) -> None:
        for stream in (out, err):
            if stream.fd not in fds:
                continue
            count = stream.read()
            if count == 0:
                ready.unregister(stream.fd)
            elif count:
                self._last_output_s = time.monotonic()
        if feed.fd in fds and not feed.write():
            ready.unregister(feed.fd)
            feed.close()

    def _next_limit(self) -> tuple[float, EndReason]:
        """Return the seconds to the next limit, and its kind."""
        now = time.monotonic()
        wall_s = self._start_s + self._limits.wall_s - now
        idle_s = self._last_output_s + self._limits.idle_s - now
        return (wall_s, "wall") if wall_s <= idle_s else (idle_s, "idle")

    def _is_flooded(self, out: Head, err: Tail) -> bool:
        return max(out.total_bytes, err.total_bytes) > self._limits.output_bytes


def _spawn(start: ProcessStart) -> process.Child:
    try:
        child = get_spawner().start(start.argv, env=start.env, cwd=start.cwd, pass_fds=start.pass_fds)
    finally:
        for fd in start.pass_fds:
            os.close(fd)
    if start.pipe_owner is not None:
        for pipe in filter(None, (child.stdin, child.stdout, child.stderr)):
            os.fchown(pipe.fileno(), start.pipe_owner, start.pipe_owner)
    return child
