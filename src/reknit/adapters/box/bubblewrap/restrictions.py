"""Restrictions of a box: a seccomp filter of system calls, and the gateway socket as the only way out."""

import errno
import platform
import socket
import struct
import sys
import threading
from pathlib import Path

from reknit.core.errors import ToolMissingError
from reknit.ports.gateway import BoxServer

# Numbers for x86-64. Another architecture needs its own table: a wrong number would be a hole.
_DENIED = {
    "ptrace": 101,
    "personality": 135,
    "pivot_root": 155,
    "mount": 165,
    "umount2": 166,
    "swapon": 167,
    "reboot": 169,
    "init_module": 175,
    "delete_module": 176,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "unshare": 272,
    "perf_event_open": 298,
    "open_by_handle_at": 304,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "finit_module": 313,
    "kexec_file_load": 320,
    "bpf": 321,
    "userfaultfd": 323,
    "io_uring_setup": 425,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
}
_CLONE3, _CLONE, _IOCTL, _SOCKET, _SOCKETPAIR = 435, 56, 16, 41, 53
_NEW_NAMESPACE = 0x7E020000
"""Mask of every CLONE_NEW* flag."""
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
"""Requests that can inject input into a terminal."""
_FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16}
"""Allowed socket families: AF_VSOCK (40) would pass through a network namespace to the host of a virtual machine."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets in struct seccomp_data; for arguments, of the low 32 bits, which are all that these calls use."""
_ARCH_X86_64, _X32_BIT = 0xC000003E, 0x40000000
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def make_filter(machine: str = "") -> bytes:
    """Return a raw BPF program for `bwrap --seccomp`; no libseccomp is needed. Default: for this machine.

    Raise ToolMissingError if there is no table for it: a box needs this filter to be safe.
    """
    machine = machine or platform.machine()
    if machine != "x86_64":
        raise ToolMissingError(
            "tool-missing",
            f"the box has no system call table for {machine!r}, so it would not be safe",
            help="run reknit on an x86-64 machine",
        )
    return b"".join(
        [
            _load(_ARCH),
            _jump(_EQUAL, _ARCH_X86_64, 1, 0) + _ret(_KILL),
            _load(_NUMBER),
            _jump(_AT_LEAST, _X32_BIT, 0, 1) + _refuse(errno.EPERM),
            *(_jump(_EQUAL, number, 0, 1) + _refuse(errno.EPERM) for number in _DENIED.values()),
            # a filter cannot read the flags of clone3, which are behind a pointer; glibc falls back to clone
            _jump(_EQUAL, _CLONE3, 0, 1) + _refuse(errno.ENOSYS),
            _argument_rule(_CLONE, _FIRST, _jump(_ANY_BIT, _NEW_NAMESPACE, 0, 1) + _refuse(errno.EPERM)),
            _argument_rule(_IOCTL, _SECOND, _none_of(_TIOCSTI, _TIOCLINUX)),
            _argument_rule(_SOCKET, _FIRST, _only(*_FAMILIES.values())),
            _argument_rule(_SOCKETPAIR, _FIRST, _only(*_FAMILIES.values())),
            _ret(_ALLOW),
        ]
    )


def _instruction(code: int, if_true: int, if_false: int, value: int) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _load(offset: int) -> bytes:
    return _instruction(_LOAD, 0, 0, offset)


def _jump(test: int, value: int, if_true: int, if_false: int) -> bytes:
    """Skip this many instructions if the test is true, and if it is false."""
    return _instruction(test, if_true, if_false, value)


def _ret(value: int) -> bytes:
    return _instruction(_RETURN, 0, 0, value)


def _refuse(number: int) -> bytes:
    return _ret(_ERRNO | number)


def _none_of(*values: int) -> bytes:
    return b"".join(_jump(_EQUAL, value, 0, 1) + _refuse(errno.EPERM) for value in values)


def _only(*values: int) -> bytes:
    """Refuse all other values: a test that is true jumps over the refusal at the end."""
    tests = [_jump(_EQUAL, value, len(values) - at, 0) for at, value in enumerate(values)]
    return b"".join(tests) + _refuse(errno.EAFNOSUPPORT)


def _argument_rule(call: int, argument: int, body: bytes) -> bytes:
    """Check one argument of this call: the body refuses values, and all others are allowed."""
    inner = _load(argument) + body + _ret(_ALLOW)
    return _jump(_EQUAL, call, 0, len(inner) // 8) + inner


PORT = 47100
ADDRESS = f"http://127.0.0.1:{PORT}"
_FD = struct.Struct("i")

# This program opens the listener in the box, sends it to us, and becomes the command, so that no helper process stays.
_PROGRAM = """\
import array, os, socket, sys
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[2])))
listener.listen(128)
channel = socket.socket(fileno=int(sys.argv[1]))
channel.sendmsg([b"1"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener.fileno()]))])
channel.close()
listener.close()
try:
    os.execvp(sys.argv[3], sys.argv[3:])
except OSError as problem:
    print(sys.argv[3] + ": " + problem.strerror, file=sys.stderr)
    sys.exit(127)
"""


def find_interpreter() -> str:
    """Return the Python that opens the socket in the box: the system's, which every box shows, or our own."""
    system = "/usr/bin/python3"
    return system if Path(system).exists() else sys.executable


class GatewaySocket:
    """The gateway socket of one box. `box_fd` goes into the box; the caller that starts the box closes it."""

    def __init__(self, gateway: BoxServer) -> None:
        self._gateway = gateway
        self._host_end, box_end = socket.socketpair()
        self.box_fd = box_end.detach()
        self._waits = False

    def command(self) -> tuple[str, ...]:
        """Return the words before the command in the box."""
        return (find_interpreter(), "-I", "-S", "-c", _PROGRAM, str(self.box_fd), str(PORT))

    def wait(self) -> None:
        """Serve as soon as the socket is open. A thread waits for it, which ends if the box dies first."""
        self._waits = True
        threading.Thread(target=self._receive, name="reknit-gateway-socket", daemon=True).start()

    def _receive(self) -> None:
        with self._host_end:
            # socket.recv_fds ignores this flag, and a listener that another child inherits would never close
            _, messages, _, _ = self._host_end.recvmsg(1, socket.CMSG_LEN(_FD.size), socket.MSG_CMSG_CLOEXEC)
        for _, _, data in messages:
            self._gateway.serve(socket.socket(fileno=_FD.unpack(data)[0]))

    def close(self) -> None:
        """Close the socket of a box that was never started; otherwise the waiting thread closes it."""
        if not self._waits:
            self._host_end.close()
