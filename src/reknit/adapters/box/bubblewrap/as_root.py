"""Starts bwrap as an unprivileged user when reknit itself was started as root.

A box may show paths to which only root has access (below `/root`, or in the state folder). A short-lived thread enters
a new mount namespace and binds each of these paths below `PLACE`; `nsenter` then starts bwrap there. No other thread
sees the namespace, and it ends with its last process, so nothing has to be cleaned up.
"""

import contextlib
import ctypes
import functools
import grp
import os
import pwd
import stat
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from reknit.adapters import process
from reknit.core.errors import ToolMissingError

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_CLONE_NEWNS = 0x20000
_AT_FDCWD, _AT_EMPTY_PATH = -100, 0x1000
_OPEN_TREE_CLONE, _MOVE_FROM_FD, _ATTRIBUTE_IDMAP = 1, 4, 0x100000
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442  # the same on every architecture
_LIBC = ctypes.CDLL(None, use_errno=True)


def unshare_mounts() -> None:
    """Give the calling thread its own mount namespace: other threads do not see what it mounts from now on."""
    _check_call("unshare", _LIBC.unshare(_CLONE_NEWNS))
    mount("none", "/", MS_REC | MS_PRIVATE)


def mount(source: str, target: str, flags: int, *, kind: str = "none", data: str = "") -> None:
    """Call `mount`, which Python 3.11 lacks. An OSError names the call."""
    words = os.fsencode(source), os.fsencode(target), kind.encode()
    _check_call("mount", _LIBC.mount(*words, ctypes.c_ulong(flags), data.encode()))


def bind_with_owner(source: str, target: str, user_namespace: int) -> None:
    """Bind a folder so that its files belong to the users that the namespace maps them to."""
    tree = _check_call("open_tree", _LIBC.syscall(_OPEN_TREE, _AT_FDCWD, os.fsencode(source), _OPEN_TREE_CLONE))
    try:
        attributes = struct.pack("=4Q", _ATTRIBUTE_IDMAP, 0, 0, user_namespace)
        result = _LIBC.syscall(_MOUNT_SETATTR, tree, b"", _AT_EMPTY_PATH, attributes, len(attributes))
        _check_call("mount_setattr", result)
        _check_call("move_mount", _LIBC.syscall(_MOVE_MOUNT, tree, b"", _AT_FDCWD, os.fsencode(target), _MOVE_FROM_FD))
    finally:
        os.close(tree)


def _check_call(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


PLACE = "/tmp"  # noqa: S108 - inside the namespace; bwrap needs a folder of this name anyway
_WAY_OUT = "start reknit as an ordinary user"
_PROGRAM = f"{PLACE}/bwrap"


class RootMounts:
    """The mount namespace of one box."""

    def __init__(self, uid: int) -> None:
        self._uid = uid
        self._sources: list[str] = []
        self._fd: int | None = None

    def place(self, source: str) -> str:
        """Register a path, and return the path at which the unprivileged user can reach it."""
        self._sources.append(source)
        return f"{PLACE}/{len(self._sources) - 1}"

    def stage(self, argv: Sequence[str], mount_layers: Callable[[], None]) -> list[str]:
        """Return a command that becomes this one, with the same pid, in the namespace and as the unprivileged user.

        `mount_layers` must start no thread, because that thread would stay in the namespace.
        """
        program, *rest = argv
        with ThreadPoolExecutor(1, "reknit-mounts") as thread:
            self._fd = thread.submit(_make_namespace, program, self._sources, mount_layers).result()
        # named by our pid: the box must not inherit this file descriptor
        namespace = f"--mount=/proc/{os.getpid()}/fd/{self._fd}"
        user = (f"--setgid={self._uid}", f"--setuid={self._uid}")
        return ["nsenter", namespace, *user, "--", "env", "-i", _PROGRAM, *rest]

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _make_namespace(program: str, sources: Sequence[str], mount_layers: Callable[[], None]) -> int:
    try:
        with contextlib.ExitStack() as stack:
            unshare_mounts()
            mount_layers()
            # they may be below `PLACE`, so open them before a mount covers it
            opened = [(name, _open_path(path, stack)) for name, path in [*enumerate(sources), ("bwrap", program)]]
            flags = MS_NOSUID | MS_NODEV
            mount("tmpfs", PLACE, flags, kind="tmpfs", data="mode=0755,size=1m")
            for name, fd in opened:
                if fd is not None:
                    _bind(fd, Path(PLACE, str(name)))
            return os.open("/proc/thread-self/ns/mnt", os.O_RDONLY)
    except OSError as refused:
        message = f"root cannot create a mount namespace for the box: {refused}"
        raise ToolMissingError("box-as-root", message, help=_WAY_OUT) from refused


def _open_path(path: str, stack: contextlib.ExitStack) -> int | None:
    """Open a path; None if it does not exist: bwrap reports that itself."""
    try:
        fd = os.open(path, os.O_PATH)
    except (FileNotFoundError, NotADirectoryError):
        return None
    stack.callback(os.close, fd)
    return fd


def _bind(fd: int, place: Path) -> None:
    if stat.S_ISDIR(os.fstat(fd).st_mode):
        place.mkdir()
    else:
        place.touch()
    mount(f"/proc/self/fd/{fd}", str(place), MS_BIND | MS_REC)


# Neither distributions nor systemd create users in this range, and a container with 65,536 mapped ids includes it.
_CANDIDATES = range(60_578, 61_184)
_NEEDED = {"CAP_CHOWN": 0, "CAP_DAC_OVERRIDE": 1, "CAP_SETGID": 6, "CAP_SETUID": 7, "CAP_SYS_ADMIN": 21}
_CHOWN_S = 300.0


def find_box_uid() -> int | None:
    """Return the host id that is both uid and gid of the box; None: the ids of the user, who is not root."""
    if os.geteuid() != 0:
        return None
    lacking = _find_missing_capabilities(Path("/proc/self/status").read_text())
    if lacking:
        message = f"root here lacks {', '.join(lacking)}, so it cannot start the box as an unprivileged user"
        raise ToolMissingError("box-as-root", message, help=_WAY_OUT)
    uid = _find_unused_id()
    if uid is None:
        low, high = _CANDIDATES[0], _CANDIDATES[-1]
        message = (
            f"root has no unprivileged user for the box: every id from {low} to {high} is taken or not mapped here"
        )
        raise ToolMissingError("box-as-root", message, help=_WAY_OUT)
    return uid


def change_owner(folders: Sequence[str], uid: int) -> None:
    """Make this user the owner of the folders and everything in them. Links are changed themselves, never followed.

    Uses `chown`: folders can be nested deeper than Python recurses. The kernel clears setuid bits as it changes owners.
    """
    existing = [folder for folder in folders if os.path.lexists(folder)]
    if not existing:
        return
    argv = ["chown", "-hRP", f"{uid}:{uid}", "--", *existing]
    completed = process.run(argv, env={"PATH": os.environ.get("PATH", os.defpath)}, timeout_s=_CHOWN_S)
    if completed.exit_code != 0:
        stderr = completed.stderr.decode(errors="replace").strip()[-500:]
        message = f"root cannot hand the box's folders over to user {uid}: {stderr}"
        raise ToolMissingError(
            "box-as-root", message, help=f"set REKNIT_STATE to a folder on a local disk, or {_WAY_OUT}"
        )


def _find_missing_capabilities(status: str) -> list[str]:
    capabilities = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:"))
    return [name for name, bit in _NEEDED.items() if not capabilities >> bit & 1]


@functools.cache
def _find_unused_id() -> int | None:
    mapped = [list(_read_mapped_ids(Path(f"/proc/self/{kind}_map"))) for kind in ("uid", "gid")]
    delegated = [ids for kind in ("uid", "gid") for ids in _read_delegated_ids(Path(f"/etc/sub{kind}"))]
    return next(
        (
            number
            for number in _CANDIDATES
            if all(_is_in(number, ids) for ids in mapped) and not _is_in(number, delegated) and not _has_name(number)
        ),
        None,
    )


def _is_in(number: int, ranges: Iterable[range]) -> bool:
    return any(number in ids for ids in ranges)


def _read_mapped_ids(map_file: Path) -> Iterator[range]:
    for line in map_file.read_text().splitlines():
        inside, _, count = map(int, line.split())
        yield range(inside, inside + count)


def _read_delegated_ids(file: Path) -> Iterator[range]:
    """Yield the ids that are delegated to users for their own namespaces."""
    for line in file.read_text().splitlines() if file.exists() else ():
        _, first, count = (*line.split(":"), "", "", "")[:3]
        if first.isdigit() and count.isdigit():
            yield range(int(first), int(first) + int(count))


def _has_name(number: int) -> bool:
    for lookup in (pwd.getpwuid, grp.getgrgid):
        try:
            lookup(number)
        except KeyError:
            continue
        return True
    return False
