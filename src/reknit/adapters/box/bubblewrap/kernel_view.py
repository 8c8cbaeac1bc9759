"""What a box sees of the kernel: a `/proc` that is read-only except for its own processes, and a sealed `/dev`."""

import os
import stat

from reknit.adapters.box.bubblewrap.mounts import Mounts

_SHARED_MEMORY_BYTES = 256 << 20

# What container runtimes hide or lock: the kernel's memory and keys, its timers and interrupts, and its hardware.
HIDDEN = (
    *("acpi", "asound", "bus", "fs", "interrupts", "irq", "kcore", "key-users", "keys", "latency_stats"),
    *("sched_debug", "scsi", "sysrq-trigger", "timer_list", "timer_stats"),
)


def show_kernel(mounts: Mounts) -> None:
    mounts.kernel("proc", "/proc")
    with os.scandir("/proc") as entries:
        for entry in entries:
            if not entry.name.isdigit() and not entry.is_symlink():
                _show(mounts, entry)
    mounts.kernel("dev", "/dev")
    mounts.empty("/dev/shm", _SHARED_MEMORY_BYTES)  # noqa: S108 - the box's own; bwrap leaves it unbounded
    mounts.seal("/dev")  # otherwise it is a writable tmpfs that can use half of the memory


def _show(mounts: Mounts, entry: os.DirEntry[str]) -> None:
    """Hide it, or make it read-only if anything in it could be written.

    bwrap covers only four of these, and only if the folder itself is writable, which `/proc/sys` never is.
    """
    mode = entry.stat(follow_symlinks=False).st_mode
    if entry.name in HIDDEN:
        mounts.hide(entry.path)
    elif stat.S_ISDIR(mode) or mode & 0o222:
        mounts.read_only(entry.path, entry.path)
