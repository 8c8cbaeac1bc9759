"""Calls pure functions on untrusted text in a child process and kills it at the limit: a thread cannot be killed."""

import asyncio
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar, TypeVarTuple

import msgspec

import reknit
from reknit.adapters import process
from reknit.adapters.bounded.child import CALLABLE, LENGTH, Answer, Request, result_type
from reknit.adapters.settled_future import settle
from reknit.adapters.spawner import get_spawner
from reknit.core.errors import InternalError, rebuild_error
from reknit.core.text.untrusted_input import UnfinishedWork, WorkLimits

Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")

_START = """\
import sys
parent, *sys.path = sys.argv[1:]
from reknit.adapters.bounded.child import serve
serve(int(parent))
"""
_MAX_IDLE_CHILDREN = 2
"""Maximum number of children that are kept for the next call."""
_CHUNK_BYTES = 1 << 20
_END_S = 5.0
"""Maximum wait in seconds for a killed call to end."""


class ChildCalls:
    """Implements `ports.BoundedCalls`. A child serves one call at a time and is kept for the next one."""

    def __init__(self) -> None:
        self._idle: list[_Child] = []
        self._is_closed = False
        self._lock = threading.Lock()

    async def run(
        self, limits: WorkLimits, function: Callable[[*Arguments], R], *arguments: *Arguments
    ) -> R | UnfinishedWork:
        call: _Call[R] = _Call()

        def work() -> None:
            try:
                settle(call.future, lambda: self._take_and_call(call, limits, function, arguments))
            finally:  # only now, so that `_abandon` cannot kill a child that already works for another call
                if call.child:
                    self._return_child(call.child)

        # A thread of a pool would delay the exit of the interpreter.
        threading.Thread(target=work, name="reknit-bounded", daemon=True).start()
        try:
            return await asyncio.shield(asyncio.wrap_future(call.future))
        finally:
            if self._abandon(call):
                await asyncio.wait([asyncio.wrap_future(call.future)], timeout=_END_S)

    def run_and_wait(
        self, limits: WorkLimits, function: Callable[[*Arguments], R], *arguments: *Arguments
    ) -> R | UnfinishedWork:
        child = self._take_child(function)
        try:
            return self._call(child, limits, function, arguments)
        finally:
            self._return_child(child)

    def close(self) -> None:
        with self._lock:
            idle, self._idle, self._is_closed = self._idle, [], True
        for child in idle:
            child.close()

    def _take_child(self, function: Callable[..., object]) -> "_Child":
        if CALLABLE.get(function.__name__) is not function:
            message = f"{function.__name__!r} is not among the functions that a child process may call"
            raise InternalError("not-listed", message)
        while True:
            with self._lock:
                child = self._idle.pop() if self._idle else None
            if child is None:
                return _Child()
            if child.is_alive():
                return child
            child.close()

    def _call(
        self, child: "_Child", limits: WorkLimits, function: Callable[..., R], arguments: object
    ) -> R | UnfinishedWork:
        head = Request(function.__name__, limits.memory_bytes)
        request = (msgspec.msgpack.encode(head), msgspec.msgpack.encode(arguments))
        try:
            body = child.ask(request, time.monotonic() + limits.wall_s)
        except TimeoutError:
            child.close()
            return UnfinishedWork(f"took longer than {limits.wall_s:g} s")
        if body is None:
            child.close()
            return UnfinishedWork("crashed its process")
        answer = msgspec.msgpack.decode(body, type=Answer)
        if answer.kind == "memory":
            child.close()
            return UnfinishedWork(f"needed more than {limits.memory_bytes >> 20} MB of memory, or recursed too deeply")
        return _read_answer(answer, function)

    def _take_and_call(
        self, call: "_Call[R]", limits: WorkLimits, function: Callable[..., R], arguments: object
    ) -> R | UnfinishedWork:
        child = self._take_child(function)
        with self._lock:
            call.child = child
            if call.is_abandoned:
                child.kill()
        return self._call(child, limits, function, arguments)

    def _abandon(self, call: "_Call[R]") -> bool:
        """Kill the child of this call. Return False if the call had ended: its child may work on another one."""
        with self._lock:
            if call.future.done():
                return False
            call.is_abandoned = True
            if call.child:
                call.child.kill()
            return True

    def _return_child(self, child: "_Child") -> None:
        with self._lock:
            is_reusable = not self._is_closed and len(self._idle) < _MAX_IDLE_CHILDREN and child.is_alive()
            if is_reusable:
                self._idle.append(child)
        if not is_reusable:
            child.close()


def _read_answer(answer: Answer, function: Callable[..., R]) -> R:
    if answer.kind == "problem":
        name, message, help_, place = answer.words
        raise rebuild_error(answer.exit_code, name, message, help_, place)
    if answer.kind == "value":
        raise ValueError(answer.words[0])
    if answer.kind == "bug":
        raise InternalError("bounded-call", f"{function.__name__} failed: {answer.words[0]}")
    result: R = msgspec.msgpack.decode(answer.result, type=result_type(function))
    return result


@dataclass(eq=False)
class _Call(Generic[R]):
    """One call of `run`. The awaiting caller may abandon it at any moment, even before its child has started."""

    future: "Future[R | UnfinishedWork]" = field(default_factory=Future)
    child: "_Child | None" = None
    is_abandoned: bool = False


class _Child:
    """One child process, which handles one request at a time."""

    def __init__(self) -> None:
        # The child gets none of our environment and imports nothing from the user's folders. The spawner starts it,
        # because the kernel kills the child when the thread that started it ends.
        argv = [sys.executable, "-I", "-S", "-B", "-c", _START, str(os.getpid()), *_import_path()]
        self._process = get_spawner().start(argv, env={})
        self._lock = threading.Lock()
        self._is_killed = False
        self._requests, self._answers = process.unblock(self._process.stdin), process.unblock(self._process.stdout)

    def ask(self, request: Sequence[bytes], deadline: float) -> bytes | None:
        """Return the answer; None if the child exited without one. Raises TimeoutError."""
        try:
            for part in request:
                self._write(LENGTH.pack(len(part)), deadline)
                self._write(part, deadline)
        except BrokenPipeError:
            return None
        head = self._read(LENGTH.size, deadline)
        return self._read(LENGTH.unpack(head)[0], deadline) if head is not None else None

    def is_alive(self) -> bool:
        with self._lock:
            return not self._is_killed and self._process.poll() is None

    def kill(self) -> None:
        """Kill the child from any thread; a caller that waits for an answer gets none."""
        with self._lock:
            self._is_killed = True
            if self._process.returncode is None:
                process.kill_group(self._process.pid)

    def close(self) -> None:
        self.kill()
        with self._lock:
            self._process.wait()
        process.close_pipes(self._process)

    def _write(self, data: bytes, deadline: float) -> None:
        unsent = memoryview(data)
        while unsent:
            _wait_until_ready(self._requests, select.POLLOUT, deadline)
            unsent = unsent[os.write(self._requests, unsent[:_CHUNK_BYTES]) :]

    def _read(self, count: int, deadline: float) -> bytes | None:
        data = bytearray()
        while len(data) < count:
            _wait_until_ready(self._answers, select.POLLIN, deadline)
            piece = os.read(self._answers, min(count - len(data), _CHUNK_BYTES))
            if not piece:
                return None
            data += piece
        return bytes(data)


def _wait_until_ready(fd: int, event: int, deadline: float) -> None:
    ready = select.poll()
    ready.register(fd, event)
    if not ready.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise TimeoutError


def _import_path() -> list[str]:
    """Return the import path of this process without its working folder, which an agent may have written."""
    own = str(Path(reknit.__file__).parents[1])
    try:
        here = str(Path.cwd())
    except OSError:  # it was removed, so nothing can be imported from it
        here = ""
    return [own, *(folder for folder in sys.path if Path(folder).is_absolute() and folder not in (own, here))]
