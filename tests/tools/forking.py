"""The far side of `fork_server.py`: one thread that has imported everything and becomes `python -m MODULE` by forking.

python -m tests.tools.forking FD MODULE…      imports the modules, then serves the orders that come on socket FD
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ORDER_BYTES = 1 << 17


@dataclass(frozen=True)
class Order:
    module: str
    arguments: Sequence[str]
    environment: dict[str, str]
    folder: str


@dataclass(frozen=True)
class Child:
    pid: int
    pidfd: int
    answer: socket.socket


def serve(orders: socket.socket) -> Order | None:
    """Comes back in each child with its order, and at the end of all orders with None."""
    children: dict[int, Child] = {}
    while True:
        for fd in _readable([orders.fileno(), *children]):
            if fd in children:
                _bury(children.pop(fd))
                continue
            message, fds, _, _ = socket.recv_fds(orders, ORDER_BYTES, 3)
            if not message:
                _end(children.values())
                return None
            answer, outputs = socket.socket(fileno=fds[0]), fds[1:]
            pid = os.fork()
            if pid == 0:
                _introduce(answer, outputs)
                _leave_behind((orders, answer, *(child.answer for child in children.values())))
                return Order(**json.loads(message))
            for output in outputs:
                os.close(output)
            child = Child(pid, os.pidfd_open(pid), answer)
            children[child.pidfd] = child


def _readable(fds: Iterable[int]) -> list[int]:
    ready = select.poll()
    for fd in fds:
        ready.register(fd, select.POLLIN)
    return [fd for fd, _ in ready.poll()]


def _introduce(answer: socket.socket, outputs: Sequence[int]) -> None:
    """It is known by its output from the first moment that others have its pid."""
    nowhere = os.open(os.devnull, os.O_RDONLY)
    for target, source in enumerate([nowhere, *outputs]):
        os.dup2(source, target)
    pid = os.getpid()
    socket.send_fds(answer, [str(pid).encode()], [os.pidfd_open(pid)])


def _leave_behind(sockets: Iterable[socket.socket]) -> None:
    """A new process has three open files, and none of them is another worker's."""
    for each in sockets:
        each.close()  # by name: an object that dies later would close whatever has its number then
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def _bury(child: Child) -> None:
    _, status = os.waitpid(child.pid, 0)
    os.close(child.pidfd)
    with child.answer, contextlib.suppress(BrokenPipeError):  # nobody needs to wait for it
        child.answer.send(str(os.waitstatus_to_exitcode(status)).encode())


def _end(children: Iterable[Child]) -> None:
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(child.pidfd, signal.SIGKILL)
        _bury(child)


class Exit:
    """Registered before all other exit handlers, so it is the last: it ends the process without a teardown of modules.

    Threads were waited for and files are flushed by then. The teardown would touch, and so copy, every page of a fork.
    """

    def __init__(self) -> None:
        self.code = 1
        atexit.register(self)

    def __call__(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(self.code)

    def run(self, module: str) -> None:
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as end:
            self.code = end.code if isinstance(end.code, int) else int(end.code is not None)
            raise


def main() -> None:
    leaving = Exit()
    orders = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[2:]:
        importlib.import_module(name)
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads > 1:
        sys.exit(f"{threads} threads after the imports: a fork would have one of them and the locks of all")
    gc.freeze()  # children share these pages for longer
    if order := serve(orders):
        coerced = {"LC_CTYPE": word} if (word := os.environ.get("LC_CTYPE")) else {}  # a new Python does so too
        os.environ.clear()
        os.environ.update({**coerced, **order.environment})
        os.chdir(order.folder)
        sys.path[0] = order.folder  # as `python -m` has it
        sys.argv[1:] = order.arguments
        leaving.run(order.module)
    leaving.code = 0


if __name__ == "__main__":
    main()
