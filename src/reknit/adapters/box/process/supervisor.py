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
from reknit.adapters.spawner import spawner
from reknit.core.box import CommandLimits, CommandResult, EndReason

STDERR_TAIL_BYTES = 64 * 1024
NOT_STARTED = 125
"""Exit code if the box could not be built and the command never ran; stderr says why."""


@dataclass(frozen=True)
class ProcessStart:
    """How a command is started and fed."""

    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: str | None = None
    stdin: bytes = b""
    pass_fds: Sequence[int] = ()
    """Closed here as soon as the child has them."""
    handshake: bool = False
    """The child first writes one byte and waits for a line, so that nothing starts if the parent has died."""
    pipe_owner: int | None = None
    """The user that the child switches to, if not ours: it may reopen its pipes as `/dev/stdout`."""
    finish: Callable[[], None] = lambda: None
    """Called when no process of the child is left, or if it could not be started."""


async def watch(
    prepare: Callable[[], ProcessStart], family: ProcessTree, *, limits: CommandLimits, transcript: str = ""
) -> CommandResult:
    """Cancelling kills the command, waits until no process of it is left, then raises.

    `prepare` may be slow: it runs in the supervising thread, not in the event loop.
    """
    watcher = _Watcher(family, limits)
    over: Future[CommandResult] = Future()
    work = functools.partial(watcher.run, prepare, transcript)
    threading.Thread(target=settle, args=(over, work), name="reknit-watch", daemon=True).start()
    try:
        return await asyncio.shield(asyncio.wrap_future(over))
    except asyncio.CancelledError:
        watcher.stop()
        await _end_of(over)
        raise
    finally:
        watcher.stop()  # a discarded coroutine cannot wait, but it can still request the stop


async def _end_of(over: Future[CommandResult]) -> None:
    """Keeps waiting however often we are cancelled: a box that is still being killed must not be abandoned."""
    ended = asyncio.wrap_future(over)
    while not ended.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([ended])
    ended.exception()


class _Watcher:
    def __init__(self, family: ProcessTree, limits: CommandLimits) -> None:
        self._family, self._limits = family, limits
        self._began = self._heard = time.monotonic()
        self._wake_read, self._wake_write = os.pipe()
        self._lock = threading.Lock()
        self._running = True
        self._greeted = False

    def stop(self) -> None:
        with self._lock:
            if self._running:
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
                self._family.attach(child.pid)
                reason = self._attend(start, child, out, err)
            finally:
                self._family.end()
                code = child.wait()
            out.drain()
            err.drain()
        if reason == "exit" and self._is_flooded(out, err):
            reason = "output"  # it ended by itself, but we did not keep all of its output
        if reason == "exit" and start.handshake and not self._greeted:
            code = NOT_STARTED
        return CommandResult(reason, code, bytes(out.kept), bytes(err.kept), time.monotonic() - self._began)

    def _close(self) -> None:
        with self._lock:
            self._running = False
            os.close(self._wake_read)
            os.close(self._wake_write)

    def _attend(self, start: ProcessStart, child: process.Child, out: Head, err: Tail) -> EndReason:
        """Until the child exits or must be killed. Closed pipes are not an exit: a command can hang without them."""
        feed = Feed(child.stdin, start.stdin)
        with os.fdopen(os.pidfd_open(child.pid), "rb", 0) as end, selectors.DefaultSelector() as ready:
            for fd in (self._wake_read, end.fileno(), out.fd):
                ready.register(fd, selectors.EVENT_READ)
            if start.handshake and isinstance(reason := self._next(ready, end.fileno()), str):
                return reason
            if start.handshake:
                self._greeted = os.read(out.fd, 1) != b""
                feed.say(b"\n")
            ready.register(err.fd, selectors.EVENT_READ)
            ready.register(feed.fd, selectors.EVENT_WRITE)
            while not isinstance(fds := self._next(ready, end.fileno()), str):
                self._serve(fds, ready, out, err, feed)
                if self._is_flooded(out, err):
                    return "output"
            return fds

    def _next(self, ready: selectors.BaseSelector, end_fd: int) -> EndReason | set[int]:
        """The pipes that are ready to read or write, or why the command is over."""
        while True:
            left_s, reason = self._left()
            if left_s <= 0:
                return reason
            fds = {key.fd for key, _ in ready.select(left_s)}
            if fds & {self._wake_read, end_fd}:
                return "exit"
            if fds:
                return fds

    def _serve(self, fds: set[int], ready: selectors.BaseSelector, out: Head, err: Tail, feed: Feed) -> None:
        for stream in (out, err):
            if stream.fd not in fds:
                continue
            count = stream.read()
            if count == 0:
                ready.unregister(stream.fd)
            elif count:
                self._heard = time.monotonic()
        if feed.fd in fds and not feed.write():
            ready.unregister(feed.fd)
            feed.close()

    def _left(self) -> tuple[float, EndReason]:
        """Seconds to the next limit, and which one it is."""
        now = time.monotonic()
        wall_s = self._began + self._limits.wall_s - now
        idle_s = self._heard + self._limits.idle_s - now
        return (wall_s, "wall") if wall_s <= idle_s else (idle_s, "idle")

    def _is_flooded(self, out: Head, err: Tail) -> bool:
        return max(out.seen, err.seen) > self._limits.output_bytes


def _spawn(start: ProcessStart) -> process.Child:
    try:
        child = spawner().start(start.argv, env=start.env, cwd=start.cwd, pass_fds=start.pass_fds)
    finally:
        for fd in start.pass_fds:
            os.close(fd)
    if start.pipe_owner is not None:
        for pipe in filter(None, (child.stdin, child.stdout, child.stderr)):
            os.fchown(pipe.fileno(), start.pipe_owner, start.pipe_owner)
    return child
