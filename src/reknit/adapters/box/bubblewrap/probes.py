"""Tests the isolation of a box. Runs INSIDE it, without reknit: facts on stdin, one JSON line per probe on stdout."""

import ctypes
import errno
import fcntl
import json
import os
import socket
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

KNOWN_ENV = {"PATH", "HOME", "TMPDIR", "LANG", "TERM", "NO_COLOR", "PYTHONDONTWRITEBYTECODE", "PWD", "SHLVL", "_"}
KNOWN_ENV |= {"GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "OLDPWD", "LC_CTYPE"}
SECRETS = (".ssh", ".aws", ".gnupg", ".config", ".docker", ".kube", ".netrc", ".npmrc", ".pypirc", ".git-credentials")
LOCKED = ("bus", "fs", "irq", "sys", "sysrq-trigger")
CLONE_NEWUSER, SYS_CLONE3, AF_VSOCK, AF_PACKET = 0x10000000, 435, 40, 17
LIBC = ctypes.CDLL(None, use_errno=True)

Probe = tuple[str, bool, str]


def check_refused(attempt: Callable[[], object], *numbers: int) -> tuple[bool, str]:
    """Return whether the attempt failed with one of these error numbers, or without numbers with any OSError."""
    try:
        attempt()
    except OSError as problem:
        return not numbers or problem.errno in numbers, str(problem)
    return False, "it was not refused"


def raise_on_failure(result: int) -> None:
    """Raise an OSError if the system call has failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def probe_files(facts: dict[str, Any]) -> Iterator[Probe]:
    """Probe which files can be seen and written."""
    tree = Path(facts["repository"])
    yield "the private tree is writable", (tree / "new").write_text("x") == 1, ""
    yield "the private tree is at the repository's path", (tree / "from-the-tree").exists(), ""
    yield "the original is not visible", not (tree / "from-the-original").exists(), ""
    yield "a carried entry is readable", (tree / "carried").read_text() == "carried", ""
    yield "a carried file is not writable", *check_refused(lambda: (tree / "carried").write_text("x"), errno.EROFS)
    # The host checks its own copy afterwards. If the kernel has refused the overlay, these writes fail too.
    check_refused((tree / "carried-folder" / "file").unlink)
    check_refused((tree / "carried-folder" / "new").mkdir)
    yield "HOME and the temporary folder are private and writable", *write_private_folders()
    yield "the outbox is writable", Path(facts["outbox"], "new").write_text("x") == 1, ""
    yield "a secret of the host is not visible", *check_refused(Path(facts["secret"]).read_text, errno.ENOENT)
    (tree / "link").symlink_to(facts["secret"])
    yield "a link to it leads nowhere", *check_refused((tree / "link").read_text, errno.ENOENT)
    visible = [name for name in SECRETS if Path(facts["home"], name).exists()]
    yield "no credentials of the user are visible", not visible, " ".join(visible)
    visible = [
        at for at in ("/etc/shadow", "/run/docker.sock", "/var/run/docker.sock", "/run/user") if Path(at).exists()
    ]
    yield "no sockets or accounts of the host are visible", not visible, " ".join(visible)
    keys = [at for at in walk_files("/etc/ssl") if "private" in at.split("/") or at.endswith((".key", ".p12", ".pfx"))]
    visible = [at for at in keys if can_open(at, os.O_RDONLY)] + ["/etc/ssl/private"] * Path(
        "/etc/ssl/private"
    ).exists()
    yield "no private keys of the host are visible", not visible, " ".join(visible)
    for folder in ("/", "/usr", "/etc", "/home", "/dev"):
        yield f"{folder} is not writable", *check_refused(Path(folder, "probe").touch, errno.EROFS, errno.EACCES)
    yield ".git is not writable", *check_refused((tree / ".git" / "hooks").mkdir, errno.EROFS)
    yield "git's config contains no token", facts["token"] not in (tree / ".git" / "config").read_text(), ""


def write_private_folders() -> tuple[bool, str]:
    """Write to both private folders."""
    for name in ("HOME", "TMPDIR"):
        Path(os.environ[name], "probe").write_text("x")
    return True, ""


def probe_network(facts: dict[str, Any]) -> Iterator[Probe]:
    """Probe which networks and sockets can be reached."""
    names = [name for _, name in socket.if_nameindex()]
    yield "there is no network interface but loopback", names == ["lo"], " ".join(names)
    yield (
        "the outside network cannot be reached",
        *check_refused(lambda: socket.create_connection(("192.0.2.1", 443), 1)),
    )
    yield (
        "the host's loopback cannot be reached",
        *check_refused(lambda: socket.create_connection(("127.0.0.1", facts["port"]), 1)),
    )
    unix = socket.socket(socket.AF_UNIX)
    yield (
        "the host's abstract sockets cannot be reached",
        *check_refused(lambda: unix.connect("\0" + facts["abstract"])),
    )
    yield "AF_VSOCK is refused", *check_refused(lambda: socket.socket(AF_VSOCK), errno.EAFNOSUPPORT)
    yield "AF_PACKET is refused", *check_refused(lambda: socket.socket(AF_PACKET, socket.SOCK_RAW), errno.EAFNOSUPPORT)


def probe_rights() -> Iterator[Probe]:
    """Probe the privileges of the process."""
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    capabilities = [name for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb") if int(status[name], 16)]
    yield "there are no capabilities", not capabilities, " ".join(capabilities)
    yield "no program can gain privileges", status["NoNewPrivs"] == "1", ""
    yield "system calls are filtered", status["Seccomp"] == "2", ""
    yield "it is not root", os.getuid() == 1000, str(os.getuid())
    yield "no nested user namespace", *check_refused(lambda: raise_on_failure(LIBC.unshare(CLONE_NEWUSER)), errno.EPERM)
    yield "no clone3", *check_refused(lambda: raise_on_failure(LIBC.syscall(SYS_CLONE3, 0, 0)), errno.ENOSYS)
    yield (
        "no mount",
        *check_refused(lambda: raise_on_failure(LIBC.mount(b"x", b"/tmp", b"tmpfs", 0, None)), errno.EPERM),
    )
    yield "no ptrace", *check_refused(lambda: raise_on_failure(LIBC.ptrace(0, 0, 0, 0)), errno.EPERM)
    # stdin is not a terminal, so ENOTTY would prove nothing
    yield (
        "no injecting input into a terminal",
        *check_refused(lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"), errno.EPERM),
    )
    yield (
        "no device nodes",
        *check_refused(lambda: os.mknod(os.environ["HOME"] + "/node", 0o060600, os.makedev(254, 0)), errno.EPERM),
    )
    loose = [at for at in ("/usr", os.environ["TMPDIR"], ".") if not os.statvfs(at).f_flag & os.ST_NOSUID]
    yield "setuid has no effect", not loose, " ".join(loose)


def probe_surroundings(facts: dict[str, Any]) -> Iterator[Probe]:
    """Probe the environment, the processes and the limits of the box."""
    strange = sorted(set(os.environ) - KNOWN_ENV)
    yield "the environment is ours alone", not strange, " ".join(strange)
    pids = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    yield "processes of the host are not visible", len(pids) <= 3, f"{len(pids)} visible"
    fds = {entry.name: str(entry.readlink()) for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()}
    yield "no open file is inherited", set(fds) <= {"0", "1", "2"}, str(fds)
    yield "the host's name is not visible", socket.gethostname() != facts["host"], socket.gethostname()
    for at in (os.environ["TMPDIR"], os.environ["HOME"], "/dev/shm"):  # noqa: S108 - the box's own
        yield f"{at} is bounded", 0 < measure_size(at) <= facts["bound"], f"{measure_size(at)} bytes"


def walk_files(folder: str) -> Iterator[str]:
    """Yield all files below the folder. Links are not followed, and mounts not entered: an automount could hang."""
    device = Path(folder).lstat().st_dev if Path(folder).exists() else None
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if Path(at, name).lstat().st_dev == device]
        yield from (f"{at}/{name}" for name in names)


def can_open(path: str, flags: int) -> bool:
    """Return True if the file can be opened."""
    try:
        os.close(os.open(path, flags | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def probe_kernel(facts: dict[str, Any]) -> Iterator[Probe]:
    """Probe the kernel's files, also that the mount is read-only: permissions refuse an ordinary user most of it."""
    for name in LOCKED:
        yield f"/proc/{name} cannot be written", *check_locked(f"/proc/{name}")
    others = [at.path for at in os.scandir("/proc") if not at.name.isdigit() and not at.is_symlink()]
    loose = [at for at in others if not check_locked(at)[0]]
    yield "nothing else in /proc but its own processes can be written", not loose, " ".join(loose)
    readable = [at for name in facts["hidden"] for at in list_files(f"/proc/{name}") if can_open(at, os.O_RDONLY)]
    yield "keys, timers and hardware of the kernel are hidden", not readable, " ".join(readable[:9])
    mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    memory = [words[4] for words in mounts if " tmpfs " in " ".join(words) and "rw" in words[5].split(",")]
    unbounded = [at for at in memory if not 0 < measure_size(at) <= facts["bound"]]
    yield "every writable folder in memory is bounded", not unbounded, " ".join(unbounded)


def list_files(path: str) -> Iterator[str]:
    """Yield the files at or below the path."""
    if Path(path).is_dir():
        yield from walk_files(path)
    elif Path(path).exists():
        yield path


def check_locked(path: str) -> tuple[bool, str]:
    """Return whether the path cannot be written. A file without write permissions needs no protection."""
    at = Path(path)
    if not at.exists() or (not at.is_dir() and not at.stat().st_mode & 0o222):
        return True, ""
    opened = next((file for file in list_files(path) if can_open(file, os.O_WRONLY)), "")
    if opened:
        return False, f"{opened} was opened for writing"
    is_read_only = bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    return is_read_only, "" if is_read_only else f"{path} is mounted read-write"


def measure_size(path: str) -> int:
    """Return the size of the file system in bytes."""
    space = os.statvfs(path)
    return space.f_blocks * space.f_frsize


def leave_a_daemon(outbox: str) -> None:
    """Start a daemon that holds a lock in the outbox while it lives. Its own session protects it from our signals."""
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    lock = os.open(f"{outbox}/daemon", os.O_CREAT | os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.write(lock, b"here")
    time.sleep(600)


def main() -> None:
    """Run all probes and print their results."""
    facts = json.load(sys.stdin) | {"outbox": sys.argv[1]}
    socket.socket(socket.AF_UNIX).connect(f"{facts['outbox']}/who")  # outside, the kernel reports which user this is
    for name, passes, detail in (
        *probe_surroundings(facts),
        *probe_files(facts),
        *probe_network(facts),
        *probe_rights(),
        *probe_kernel(facts),
    ):
        sys.stdout.write(json.dumps([name, passes, detail]) + "\n")
    sys.stdout.flush()
    leave_a_daemon(facts["outbox"])
    lock = Path(facts["outbox"], "daemon")
    while not lock.exists() or lock.read_bytes() != b"here":
        time.sleep(0.001)


if __name__ == "__main__":
    main()
