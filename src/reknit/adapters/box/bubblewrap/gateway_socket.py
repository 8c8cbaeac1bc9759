"""The only way out of a box: a socket that listens in the box's network and is served by the gateway outside."""

import socket
import struct
import sys
import threading
from pathlib import Path

from reknit.ports.gateway import BoxServer

PORT = 47100
ADDRESS = f"http://127.0.0.1:{PORT}"
_FD = struct.Struct("i")

# Runs in the box, then execs the command: nothing is left of it that an agent could kill or talk to.
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


def interpreter() -> str:
    """The Python that opens the socket in the box: the system's, which every box shows, or our own."""
    system = "/usr/bin/python3"
    return system if Path(system).exists() else sys.executable


class GatewaySocket:
    """The gateway socket of one box. `box_fd` is passed into the box; the caller that starts the box closes it here."""

    def __init__(self, gateway: BoxServer) -> None:
        self._gateway = gateway
        self._host_end, box_end = socket.socketpair()
        self.box_fd = box_end.detach()
        self._waits = False

    def command(self) -> tuple[str, ...]:
        """Goes before the command in the box."""
        return (interpreter(), "-I", "-S", "-c", _PROGRAM, str(self.box_fd), str(PORT))

    def wait(self) -> None:
        """Serve as soon as the socket is open. Waits in its own thread, which ends if the box dies first."""
        self._waits = True
        threading.Thread(target=self._receive, name="reknit-gateway-socket", daemon=True).start()

    def _receive(self) -> None:
        with self._host_end:
            # not socket.recv_fds, which drops the flag: a listener inherited by another child would never close
            _, sent, _, _ = self._host_end.recvmsg(1, socket.CMSG_LEN(_FD.size), socket.MSG_CMSG_CLOEXEC)
        for _, _, data in sent:
            self._gateway.serve(socket.socket(fileno=_FD.unpack(data)[0]))

    def close(self) -> None:
        """For a box that was never started; otherwise the waiting thread closes it."""
        if not self._waits:
            self._host_end.close()
