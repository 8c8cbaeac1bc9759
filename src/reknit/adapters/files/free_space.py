"""Checks free disk space wherever a full disk could be mistaken for a failing test."""

import errno
import os
import re
from pathlib import Path

from reknit.core.errors import DiskFull, Unavailable

LEAST_BYTES = 1_000_000
PLENTY_BYTES = 2_000_000_000
"""With this much free, the disk is not why tests ran out of space."""
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_SAYS_NO_SPACE = re.compile(
    rb"^(?!remote: |fatal: remote error: )[^\n]*: (?:No space left on device|Disk quota exceeded)$", re.MULTILINE
)
"""As git reports it for this machine: at the end of a line. Anywhere else it is a file name or a remote's message."""


def says_no_space(words: bytes) -> bool:
    """Whether a failed program reports a full disk on this machine."""
    return bool(_SAYS_NO_SPACE.search(words))


def check_space(folder: Path, least_bytes: int = LEAST_BYTES) -> None:
    try:
        disk = os.statvfs(folder)
    except OSError as problem:
        what = f"{str(folder)!r} cannot be reached: {problem.strerror}"
        raise Unavailable("folder-away", what, help="make it available again, then rerun the same command") from None
    check_disk(disk, str(folder), least_bytes)


def check_disk(disk: os.statvfs_result, folder: str, least_bytes: int = LEAST_BYTES) -> None:
    free = (disk.f_bfree if os.geteuid() == 0 else disk.f_bavail) * disk.f_frsize
    # A file system with no blocks does not report its size.
    if (disk.f_blocks and free < LEAST_BYTES) or (disk.f_files and not disk.f_ffree):
        raise DiskFull(folder)
    if disk.f_blocks and free < least_bytes:
        # Untrusted code claimed it ran out of space: that stops its own run, never a worker with all its runs.
        what = f"the disk that holds {folder!r} has too little space left for what ran here"
        raise Unavailable("little-space", what, help="free some space there, then run the same command again")
