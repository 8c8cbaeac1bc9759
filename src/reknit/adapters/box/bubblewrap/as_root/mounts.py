"""A private mount namespace from which bwrap starts as an unprivileged user, when reknit was started as root.

What a box shows may be where only root has access (below `/root`, or in the state folder). A short-lived thread enters
a new namespace and binds each of these paths below `PLACE`; `nsenter` starts bwrap there. No other thread ever sees the
namespace, and it ends with its last process, so there is nothing to clean up.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from reknit.adapters.box.bubblewrap.as_root import mount_calls as calls
from reknit.core.errors import ToolMissing

PLACE = "/tmp"  # noqa: S108 - inside the namespace; bwrap needs a folder of this name anyway
_PROGRAM = f"{PLACE}/bwrap"


class RootMounts:
    """The namespace of one box."""

    def __init__(self, uid: int) -> None:
        self._uid = uid
        self._sources: list[str] = []
        self._fd: int | None = None

    def place(self, source: str) -> str:
        """Where the unprivileged user finds this path."""
        self._sources.append(source)
        return f"{PLACE}/{len(self._sources) - 1}"

    def stage(self, argv: Sequence[str], mount_layers: Callable[[], None]) -> list[str]:
        """The same command with the same pid, but run in the namespace and as the unprivileged user.

        `mount_layers` must start no thread: it would stay in the namespace.
        """
        program, *rest = argv
        with ThreadPoolExecutor(1, "reknit-mounts") as thread:
            self._fd = thread.submit(_make, program, self._sources, mount_layers).result()
        # by our pid, not by inheritance: the box must not get this file descriptor
        namespace = f"--mount=/proc/{os.getpid()}/fd/{self._fd}"
        user = (f"--setgid={self._uid}", f"--setuid={self._uid}")
        return ["nsenter", namespace, *user, "--", "env", "-i", _PROGRAM, *rest]

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _make(program: str, sources: Sequence[str], mount_layers: Callable[[], None]) -> int:
    try:
        with contextlib.ExitStack() as stack:
            calls.unshare_mounts()
            mount_layers()
            # opened before `PLACE` is covered, since they may be below it
            opened = [(name, _open(path, stack)) for name, path in [*enumerate(sources), ("bwrap", program)]]
            flags = calls.MS_NOSUID | calls.MS_NODEV
            calls.mount("tmpfs", PLACE, flags, kind="tmpfs", data="mode=0755,size=1m")
            for name, fd in opened:
                if fd is not None:
                    _bind(fd, Path(PLACE, str(name)))
            return os.open("/proc/thread-self/ns/mnt", os.O_RDONLY)
    except OSError as refused:
        what = f"root cannot create a mount namespace for the box: {refused}"
        raise ToolMissing("box-as-root", what, help="start reknit as an ordinary user") from refused


def _open(path: str, stack: contextlib.ExitStack) -> int | None:
    """None: it does not exist, which bwrap will find out itself."""
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
    calls.mount(f"/proc/self/fd/{fd}", str(place), calls.MS_BIND | calls.MS_REC)
