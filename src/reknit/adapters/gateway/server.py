"""The model gateway: the one way out of a box. This is its life; what passes is decided in `passing`."""

import contextlib
import secrets
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

from reknit.adapters.gateway.box_connection import BoxRequest
from reknit.adapters.gateway.call_ledger import Books
from reknit.adapters.gateway.call_monitor import Watch
from reknit.adapters.gateway.report_channel import ReportDesk
from reknit.adapters.gateway.request_body import Room
from reknit.adapters.gateway.request_handler import Passing
from reknit.core.agents.call import Usage
from reknit.core.gateway.access import Passage, Seen
from reknit.core.gateway.prices import PriceTable
from reknit.core.gateway.wire import WIRES
from reknit.ports.gateway import Clerk

_MAX_CONNECTIONS = 64


class ModelGateway:
    """Lives for one agent call. Books, token and limits are this call's own."""

    def __init__(self, passage: Passage, clerk: Clerk, *, prices: PriceTable) -> None:
        self.token = secrets.token_urlsafe(24)
        self._closed = threading.Event()
        self._books = Books(clerk, self._closed, budget_usd=passage.budget_usd, max_requests=passage.max_requests)
        self._watch = Watch(clerk, passage.account, self._closed)
        self._desk = ReportDesk(passage.role)
        self._error = WIRES[passage.provider].error
        self._passing = Passing(
            passage,
            self.token,
            prices,
            books=self._books,
            watch=self._watch,
            desk=self._desk,
            hold=self._held,
            closed=self._closed,
        )
        self._room = Room()
        self._listeners: list[socket.socket] = []
        self._open: set[socket.socket] = set()
        self._seats = threading.BoundedSemaphore(_MAX_CONNECTIONS)
        self._lock = threading.Lock()

    @property
    def seen(self) -> Seen:
        desk = self._desk.desk
        return replace(self._watch.seen, report=desk.report, report_problem=desk.problem)

    def serve(self, listener: socket.socket) -> None:
        """Returns at once; answers in threads of its own. The listener is closed by `close`."""
        listener.settimeout(None)
        with self._lock:
            if self._closed.is_set():
                listener.close()
                return
            self._listeners.append(listener)
        threading.Thread(target=self._accept, args=(listener,), name="reknit-gateway", daemon=True).start()

    def close(self) -> Usage:
        with self._lock:
            self._closed.set()
            listeners, self._listeners = self._listeners, []
            connections = list(self._open)
        for each in (*listeners, *connections):
            _end(each)  # wakes the thread that waits on it, which then closes it
        for listener in listeners:
            listener.close()
        return self._books.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return  # closed by `close`
            if not self._seats.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(target=self._host, args=(connection,), name="reknit-gateway", daemon=True).start()

    def _host(self, connection: socket.socket) -> None:
        try:
            with self._held(connection):
                BoxRequest(connection, self._passing.attend, self._error, self._room)
        except OSError:
            return  # a killed agent leaves broken connections: nobody's failure
        except Exception as problem:  # noqa: BLE001 - nothing a box sends may print a traceback, with a key in it perhaps
            self._watch.refused(f"the gateway failed: {type(problem).__name__}")
        finally:
            self._seats.release()

    @contextlib.contextmanager
    def _held(self, connection: socket.socket) -> Iterator[None]:
        """Known to `close` while it is open, and refused after it."""
        with connection:
            with self._lock:
                if self._closed.is_set():
                    raise ConnectionAbortedError("the gateway is closed")
                self._open.add(connection)
            try:
                yield
            finally:
                with self._lock:
                    self._open.discard(connection)


def _end(connection: socket.socket) -> None:
    # the plain socket's method: the one of a TLS socket would pull its session from under the reading thread
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
