"""Starts processes: no other module may. `run` is for short trusted commands; the `spawner` starts boxes."""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from reknit.core.errors import InternalError, ToolMissingError

Child = subprocess.Popen[bytes]


def find_program(name: str, path: str | None = None) -> str:
    """Return the path of a program; empty if there is none. `path`: a value of PATH; default: that of this process."""
    return shutil.which(name, path=absolute_entries(os.environ.get("PATH", os.defpath) if path is None else path)) or ""


def absolute_entries(path: str) -> str:
    """Return a PATH without relative and empty entries, which could lead to programs of a repository."""
    return ":".join(entry for entry in path.split(":") if entry.startswith("/"))


def unblock(pipe: IO[bytes] | None) -> int:
    """Make a pipe of a child non-blocking, and return its descriptor."""
    if pipe is None:
        raise ValueError("the child was started without its pipes")
    os.set_blocking(pipe.fileno(), False)
    return pipe.fileno()


class ProcessTimeoutError(InternalError):
    """A short command exceeded its timeout; its process group was killed."""


@dataclass(frozen=True)
class Completed:
    """Exit code and output of a process that has ended."""

    exit_code: int
    stdout: bytes
    stderr: bytes


def run(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: str | None = None, stdin: bytes = b"", timeout_s: float = 60.0,
    prints_much: bool = False,
) -> Completed:  # fmt: skip
    """Run a short, trusted command on the host. No process of it is left when this returns or raises.

    `prints_much`: collect megabytes of output in a file in memory; a pipe would wake this process every few KB.
    """
    if prints_much:
        memory = os.memfd_create("output")
        try:
            completed = _run(argv, env, cwd, stdin, timeout_s, memory)
            return Completed(completed.exit_code, os.pread(memory, os.fstat(memory).st_size, 0), completed.stderr)
        finally:
            os.close(memory)
    return _run(argv, env, cwd, stdin, timeout_s, subprocess.PIPE)


def _run(
    argv: Sequence[str], env: Mapping[str, str], cwd: str | None, stdin: bytes, timeout_s: float, stdout: int
) -> Completed:
    child = start(argv, env=env, cwd=cwd, stdout=stdout)
    try:
        out, err = child.communicate(stdin, timeout=timeout_s)
    except subprocess.TimeoutExpired as late:
        raise ProcessTimeoutError("process-timeout", f"{argv[0]!r} did not finish within {timeout_s:g} s") from late
    finally:
        if child.poll() is None:
            kill_group(child.pid)
            child.wait()
        close_pipes(child)
    return Completed(child.returncode, out or b"", err)


def start_detached(argv: Sequence[str], *, env: Mapping[str, str]) -> Child:
    """Start a process of ours that outlives this one and has no pipes to it."""
    no_stream = subprocess.DEVNULL
    return subprocess.Popen(
        list(argv),
        env=_child_environment(env),
        stdin=no_stream,
        stdout=no_stream,
        stderr=no_stream,
        start_new_session=True,
    )


def kill_group(pid: int) -> None:
    """Kill a child that leads its own group and is not reaped yet, with every process still in that group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def close_pipes(child: Child) -> None:
    """Close the pipes of a child that has ended."""
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()


def start(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: str | None, pass_fds: Sequence[int] = (),
    stdout: int = subprocess.PIPE,
) -> Child:  # fmt: skip
    """Start a child with three pipes, in its own session. The caller reaps it."""
    try:
        return subprocess.Popen(
            list(argv),
            env=_child_environment(env),
            cwd=cwd,
            pass_fds=tuple(pass_fds),
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (FileNotFoundError, NotADirectoryError, PermissionError) as refused:
        if cwd is not None and refused.filename == cwd:
            raise InternalError("no-folder", f"cannot run {argv[0]!r} in {cwd!r}: {refused.strerror}") from refused
        message = f"{argv[0]!r} could not be started: {refused.strerror}"
        raise ToolMissingError("tool-missing", message, help="install it or put it on PATH") from refused


def _child_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Keep only absolute entries of PATH. An empty PATH would mean the current folder, so none is passed."""
    path = absolute_entries(env.get("PATH", ""))
    return {**env, "PATH": path} if path else {name: value for name, value in env.items() if name != "PATH"}
