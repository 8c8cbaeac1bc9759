"""Mount system calls that Python 3.11 lacks; each raises OSError with the name of the call."""

import ctypes
import os
import struct

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_CLONE_NEWNS = 0x20000
_AT_FDCWD, _AT_EMPTY_PATH = -100, 0x1000
_OPEN_TREE_CLONE, _MOVE_FROM_FD, _ATTRIBUTE_IDMAP = 1, 4, 0x100000
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442  # the same on every architecture
_LIBC = ctypes.CDLL(None, use_errno=True)


def unshare_mounts() -> None:
    """Affects only the calling thread: no other one sees what it mounts from now on."""
    _checked("unshare", _LIBC.unshare(_CLONE_NEWNS))
    mount("none", "/", MS_REC | MS_PRIVATE)


def mount(source: str, target: str, flags: int, *, kind: str = "none", data: str = "") -> None:
    words = os.fsencode(source), os.fsencode(target), kind.encode()
    _checked("mount", _LIBC.mount(*words, ctypes.c_ulong(flags), data.encode()))


def bind_with_owner(source: str, target: str, user_namespace: int) -> None:
    """Bind a folder so that its files belong to the users that the namespace maps them to."""
    tree = _checked("open_tree", _LIBC.syscall(_OPEN_TREE, _AT_FDCWD, os.fsencode(source), _OPEN_TREE_CLONE))
    try:
        attributes = struct.pack("=4Q", _ATTRIBUTE_IDMAP, 0, 0, user_namespace)
        said = _LIBC.syscall(_MOUNT_SETATTR, tree, b"", _AT_EMPTY_PATH, attributes, len(attributes))
        _checked("mount_setattr", said)
        _checked("move_mount", _LIBC.syscall(_MOVE_MOUNT, tree, b"", _AT_FDCWD, os.fsencode(target), _MOVE_FROM_FD))
    finally:
        os.close(tree)


def _checked(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result
