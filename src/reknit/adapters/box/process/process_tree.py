"""Finds and kills all processes that a command has started."""

import contextlib
import json
import os
import select
import signal
from pathlib import Path
from typing import Protocol

from reknit.adapters import process
from reknit.core.errors import InternalError

_INFO_TRIES, _INFO_TRY_S = 5000, 0.001
_DEATH_S = 30.0


class ProcessTree(Protocol):
    """The processes of one command."""

    def attach(self, pid: int) -> None:
        """Note the child's pid; called once, right after the start."""

    def end(self) -> None:
        """Kill all of them; called once, before the child is reaped. Afterwards no descendant process is alive."""


class ProcessGroup:
    """The processes in the child's group; one that left the group survives. Good enough for trusted commands."""

    def __init__(self) -> None:
        self._pid = 0

    def attach(self, pid: int) -> None:
        self._pid = pid

    def end(self) -> None:
        while pidfds := _open_living_members(self._pid):
            process.kill_group(self._pid)
            for pidfd in pidfds:
                with os.fdopen(pidfd, "rb", 0):
                    _wait_for_death(pidfd)


def _open_living_members(group: int) -> list[int]:
    pidfds = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, _, pgrp = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(pgrp) == group and state not in "ZX":
                pidfds.append(os.pidfd_open(int(entry.name)))
    return pidfds


class PidNamespace:
    """The processes of bwrap's pid namespace. If its first process is killed, the kernel kills all the others.

    Killing bwrap is not enough: while it builds the box, its child does not die with it. Later the child does, but some
    milliseconds after bwrap, and can still write until then.
    """

    def __init__(self) -> None:
        # with a pipe, SIGPIPE would kill bwrap after our death, and its child would wait for it forever
        self._info = os.fdopen(os.memfd_create("reknit-info"), "rb", 0)
        self._pid = 0
        self._first: int | None = None

    def info_fd(self) -> int:
        """Return a descriptor for bwrap's --info-fd; the starter of bwrap closes it."""
        return os.dup(self._info.fileno())

    def attach(self, pid: int) -> None:
        self._pid = pid
        with contextlib.suppress(ProcessLookupError), self._info, os.fdopen(os.pidfd_open(pid), "rb", 0) as bwrap:
            report = self._read_report(bwrap.fileno())
            if report:  # opened now, because the kernel may reuse the pid later
                self._first = os.pidfd_open(json.loads(report)["child-pid"])

    def _read_report(self, bwrap: int) -> bytes:
        """Return bwrap's report about its child, which waits until it is written; empty if bwrap exits without one."""
        for _ in range(_INFO_TRIES):
            has_ended = _is_readable(bwrap, _INFO_TRY_S)
            report = os.pread(self._info.fileno(), 4096, 0)
            if report.endswith(b"}\n"):
                return report
            if has_ended:
                return b""
        return b""

    def end(self) -> None:
        if self._first is not None:
            with os.fdopen(self._first, "rb", 0) as first:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(first.fileno(), signal.SIGKILL)
                # the first process of a namespace dies only after all the others
                _wait_for_death(first.fileno())
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)

    def close(self) -> None:
        """Close the file of a box that was never started. Idempotent."""
        self._info.close()


def _wait_for_death(pidfd: int) -> None:
    if not _is_readable(pidfd, _DEATH_S):
        raise InternalError("still-alive", f"a killed command is still running after {_DEATH_S:g} s")


def _is_readable(fd: int, within_s: float) -> bool:
    ready = select.poll()  # select() cannot handle an fd above 1023, and a worker has many open files
    ready.register(fd, select.POLLIN)
    return bool(ready.poll(within_s * 1000))
