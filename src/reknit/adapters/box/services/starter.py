"""Starts services INSIDE a box, without reknit, waits until they are ready, then becomes the command.

A separate process, the keeper, starts the services and reads their logs. It is no child of the command, so the command
sees only its own children. When the command ends, the box ends with the keeper and the services. The starter sends its
report out of the box through a socket that it closes before the command starts, so the command cannot forge one.
"""

import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

NOT_READY = 96
"""Exit code if the command was not started. Only people read it; reknit reads the report."""
LOG_BYTES, TAIL_BYTES = 1 << 20, 8000
POLL_S, TRY_S = 0.05, 5.0
TAKEN_S = 2.0
"""Time for a service to notice that its port was taken before it was started, in seconds."""


class Log:
    """The output of a service: its beginning in a file, its end in memory."""

    def __init__(self, fd: int, place: str) -> None:
        self.tail = b""
        self._fd, self._place = fd, place
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        remaining = LOG_BYTES
        with Path(self._place).open("wb", buffering=0) as file:
            while data := os.read(self._fd, 65536):  # read always: a service stops if nobody reads its output
                self.tail = (self.tail + data)[-TAIL_BYTES:]
                try:
                    remaining -= file.write(data[:remaining]) or 0
                except OSError:
                    remaining = 0  # the disk is full

    def final_tail(self) -> str:
        """Return the end of the output after the service ended; wait for data that is still in the pipe."""
        self._reader.join(1.0)
        return self.tail.decode("utf-8", "replace")

    def add(self, line: str) -> None:
        with Path(self._place).open("ab") as file:
            file.write(line.encode() + b"\n")


def start(script: str, out: int) -> int:
    """Start a script and return its process id. It has its own session, no input, and none of our open files."""
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)]
    try:
        return os.posix_spawn("/bin/sh", ["sh", "-c", script], os.environ, file_actions=actions, setsid=True)
    finally:
        os.close(null)


def exit_code(pid: int) -> int | None:
    """Return the exit code; None while the process runs."""
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def answers(ready: Any, until: float) -> bool:
    """Return True if something listens on this port, or this command ends with 0."""
    if isinstance(ready, int):
        return any(_accepts(host, ready) for host in ("127.0.0.1", "::1"))
    null = os.open(os.devnull, os.O_WRONLY)
    pid = start(ready, null)
    os.close(null)
    until = min(until, time.monotonic() + TRY_S)
    while (code := exit_code(pid)) is None and time.monotonic() < until:
        time.sleep(POLL_S)
    if code is None:
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return code == 0


def _accepts(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), 1.0):
            return True
    except OSError:
        return False


def wait_for(service: dict[str, Any], log: Log, pid: int, *, was_answering: bool) -> dict[str, Any] | None:
    """Wait until the service is ready, and return None or its failure.

    If the service ends with 0, it may have started a daemon, so the wait goes on. `was_answering`: the port answered
    before the service was started, so an answer does not show that the service is ready.
    """
    until, code, is_ready = time.monotonic() + service["ready_s"], None, not service["ready"]
    earliest = time.monotonic() + (TAKEN_S if was_answering else 0.0)
    while True:
        is_ready = is_ready or answers(service["ready"], until)
        time.sleep(POLL_S)  # even if it answers: a program can open its port and fail a moment later
        code = exit_code(pid) if code is None else code
        if code:
            return {"exit_code": code, "log": log.final_tail()}
        if is_ready and time.monotonic() >= earliest:
            return None
        if time.monotonic() >= until:
            return {"exit_code": None, "log": log.tail.decode("utf-8", "replace")}


def start_services(plan: dict[str, Any]) -> dict[str, Any]:
    """Start all services. Return `{}` if all are ready, or the first failure.

    If the command needs them, stop at the first failure; otherwise start the others too.
    """
    failure: dict[str, Any] = {}
    for number, service in enumerate(plan["services"]):
        read, write = os.pipe()
        place = f"{plan['folder']}/{number + 1}"
        log = Log(read, f"{place}.log")
        script = service["script"]
        if service["is_private"]:
            Path(place).mkdir(exist_ok=True)
            script = f"cd {place}\n{script}"
        was_answering = isinstance(service["ready"], int) and answers(service["ready"], 0.0)
        pid = start(script, write)
        os.close(write)
        problem = wait_for(service, log, pid, was_answering=was_answering)
        if problem:
            log.add("this service did not become ready")
            failure = failure or {"number": number, **problem}
            if plan["needed"]:
                return failure
    return failure


def keep_services(plan: dict[str, Any], answer: int) -> None:
    """Become the keeper: start the services, answer, and stay until the box ends."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    Path(plan["folder"]).mkdir(parents=True, exist_ok=True)
    os.write(answer, json.dumps(start_services(plan)).encode())
    os.close(answer)
    while True:
        signal.pause()


def start_keeper(plan: dict[str, Any], channel: int) -> bytes:
    """Start the keeper and return its answer; empty if it died."""
    read, write = os.pipe()
    middle = os.fork()
    if middle == 0:
        if os.fork() == 0:
            os.close(channel)
            os.close(read)
            keep_services(plan, write)
        os._exit(0)  # so that the keeper is no child of the command
    os.waitpid(middle, 0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        return answer.read()


def main() -> None:
    """Start the services, report the result, and become the command."""
    channel, plan, command = int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
    answer = start_keeper(plan, channel)
    with socket.socket(fileno=channel) as out:
        out.sendall(answer)
    if answer != b"{}" and plan["needed"]:
        sys.exit(NOT_READY)
    try:
        os.execvp(command[0], command)  # noqa: S606 - in the box
    except OSError as problem:
        sys.stderr.write(f"{command[0]}: {problem.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    main()
