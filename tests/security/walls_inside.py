"""Runs INSIDE a box as a hostile agent: tries one kind of wall, named by its argument; prints what it found as JSON."""

import ctypes
import errno
import glob
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
CALLS = {
    "bpf": 321,
    "init_module": 175,
    "io_uring_setup": 425,
    "kexec_load": 246,
    "keyctl": 250,
    "mount": 165,
    "open_by_handle_at": 304,
    "open_tree": 428,
    "perf_event_open": 298,
    "personality": 135,
    "pidfd_getfd": 438,
    "process_vm_readv": 310,
    "ptrace": 101,
    "reboot": 169,
    "setns": 308,
    "unshare": 272,
    "userfaultfd": 323,
}
FAMILIES = range(1, 46)
DEPTH = 1100
OUTBOX = os.environ.get("PLACE", "")


def opens(path: str, flags: int) -> bool:
    """Opened and closed again: nothing is ever written."""
    try:
        os.close(os.open(path, flags | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def entries() -> list[str]:
    """What /proc has besides processes."""
    names = [name for name in os.listdir("/proc") if not name.isdigit()]
    return [f"/proc/{name}" for name in names if not os.path.islink(f"/proc/{name}")]


def files_below(top: str) -> Iterator[str]:
    """Through no further mount: one that mounts itself when it is read may hang."""
    device = os.lstat(top).st_dev
    for at, folders, names in os.walk(top):
        folders[:] = [name for name in folders if os.lstat(f"{at}/{name}").st_dev == device]
        yield from (f"{at}/{name}" for name in names)


def proc() -> dict[str, Any]:
    folders = [at for at in entries() if os.path.isdir(at)]
    files = [at for at in entries() if at not in folders] + [at for top in folders for at in files_below(top)]
    return {
        "seen": len(files),
        "own": opens("/proc/self/comm", os.O_WRONLY),
        "opened": [at for at in files if opens(at, os.O_WRONLY) or opens(at, os.O_RDWR)],
        "loose": [at for at in folders if not os.statvfs(at).f_flag & os.ST_RDONLY],
        "read": [at for at in files if at.startswith(HIDDEN) and opens(at, os.O_RDONLY)],
        "hidden": [at for at in HIDDEN if os.path.exists(at)],
    }


HIDDEN = tuple(f"/proc/{name}" for name in ("acpi", "bus", "fs", "interrupts", "irq", "kcore", "keys", "timer_list"))


def memory() -> dict[str, Any]:
    """Is /dev a place to fill the host's memory?"""
    try:
        with open("/dev/flood", "wb") as file:
            return {"written": file.write(b"x" * 1_000_000)}
    except OSError as problem:
        return {"written": 0, "why": problem.strerror}


def keys() -> dict[str, Any]:
    return {"seen": glob.glob("/etc/ssl/private*") + glob.glob("/etc/ssl/**/*.key", recursive=True)}


def calls() -> dict[str, Any]:
    answers = {}
    for name, number in CALLS.items():
        if os.fork() == 0:  # one of them may change or end the caller
            failed = LIBC.syscall(number, 0, 0, 0, 0, 0, 0) < 0
            os._exit(ctypes.get_errno() if failed else 0)
        code = os.waitstatus_to_exitcode(os.wait()[1])
        answers[name] = errno.errorcode.get(code, str(code))
    return answers


def sockets() -> dict[str, Any]:
    made = []
    for family in FAMILIES:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                socket.socket(family, kind).close()
            except OSError:
                continue
            made.append(family)
            break
    return {"made": made}


def wait() -> dict[str, Any]:
    """Owns a file outside, until somebody has looked at it."""
    open(f"{OUTBOX}/mine", "w").close()
    with open(f"{OUTBOX}/go") as go:
        go.read()
    with open("/proc/self/status") as status:
        groups = next(line for line in status if line.startswith("Groups:"))
    return {"groups": groups.split()[1:]}


def names() -> None:
    odd = (b"new\nline.py", b"\xff\xfe.py", b"-rf", b"--help", b".GIT", b"git~1", b"back\\slash", b"\x1b]0;title\x07")
    for name in odd:
        open(name, "wb").close()
    os.symlink(sys.argv[2], "link")
    os.symlink("..", "up")
    os.symlink("/etc/passwd", "passwd")
    os.link("tracked.py", "hard.py")
    os.mkfifo("fifo")
    socket.socket(socket.AF_UNIX).bind("socket")
    with open("sparse", "wb") as file:
        file.truncate(2_000_000_000)
    os.mkdir("noread")
    open("noread/x", "w").close()
    os.chmod("noread", 0)


def deep() -> None:
    """Deeper than Python recurses, and than a path can be long."""
    os.mkdir("deep")
    here = os.open("deep", os.O_RDONLY)
    for _ in range(DEPTH):
        os.mkdir("down", dir_fd=here)
        below = os.open("down", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def daemon() -> None:
    """Ignores signals and writes until the end."""
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        while True:
            for name in ("again", f"{OUTBOX}/again"):
                open(name, "w").close()
                os.chmod(name, 0o4755)
            time.sleep(0.0005)


def games() -> dict[str, Any]:
    """Everything in a tree that could trouble whoever takes it back."""
    names()
    deep()
    for name in ("suid", f"{OUTBOX}/suid"):
        with open(name, "w") as file:
            file.write("#!/bin/sh\n")
        os.chmod(name, 0o6755)
    daemon()
    while not os.path.exists(f"{OUTBOX}/again"):
        time.sleep(0.001)
    return {"mode": os.stat("suid").st_mode & 0o7777, "daemon": True}


KINDS: tuple[Callable[[], dict[str, Any]], ...] = (proc, memory, keys, calls, sockets, wait, games)

if __name__ == "__main__":
    kind = next(kind for kind in KINDS if kind.__name__ == sys.argv[1])
    sys.stdout.write(json.dumps(kind()) + "\n")
