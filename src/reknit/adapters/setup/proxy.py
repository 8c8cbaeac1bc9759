"""The only way out of a set-up's box: a proxy on the host that reaches the user's package registries only."""

import contextlib
import socket
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reknit.adapters.settled_future import result_or_error
from reknit.adapters.setup.exchange import BoxExchange, ProxyRecord
from reknit.adapters.setup.upstream import Upstreams
from reknit.core.setup.registries import Registry

if TYPE_CHECKING:
    from reknit.adapters.setup.certificates import SetupAuthority

_MOST_CONNECTIONS = 128


class SetupProxy:
    """Implements `ports.BoxServer` for one set-up."""

    def __init__(self, registries: Sequence[Registry], upstreams: Upstreams, authority: "SetupAuthority") -> None:
        self.record = ProxyRecord()
        self._registries, self._upstreams, self._certified = tuple(registries), upstreams, authority.context
        self._lock = threading.Lock()
        self._is_closed = False
        self._open: set[socket.socket] = set()
        self._seats = threading.BoundedSemaphore(_MOST_CONNECTIONS)

    def serve(self, listener: socket.socket) -> None:
        listener.settimeout(None)
        if self._add(listener):
            threading.Thread(target=self._accept, args=(listener,), name="reknit-setup-proxy", daemon=True).start()

    def close(self) -> None:
        """Ends every connection. Idempotent."""
        with self._lock:
            self._is_closed = True
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)  # wakes the thread that waits on it

    def _add(self, connection: socket.socket) -> bool:
        with self._lock:
            if not self._is_closed:
                self._open.add(connection)
                return True
        connection.close()
        return False

    def _remove(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.discard(connection)
        connection.close()

    def _accept(self, listener: socket.socket) -> None:
        try:
            while True:
                connection, _ = listener.accept()
                if self._seats.acquire(blocking=False):
                    threading.Thread(target=self._host, args=(connection,), name="reknit-setup", daemon=True).start()
                else:
                    connection.close()
        except OSError:
            return  # the box ended, or `close`
        finally:
            self._remove(listener)

    def _host(self, connection: socket.socket) -> None:
        if self._add(connection):
            # a broken connection is the box's business, and a traceback of a request could have a login in it
            result_or_error(
                lambda: BoxExchange(connection, self._registries, self._upstreams, self.record, self._certified)
            )
            self._remove(connection)
        self._seats.release()
