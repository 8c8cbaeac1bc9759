"""The model gateway, the only way out of a box: starts, accepts and stops; `request_handler` decides what may pass."""

import contextlib
import secrets
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

from reknit.adapters.gateway.box_connection import BoxRequest
from reknit.adapters.gateway.call_ledger import CallLedger
from reknit.adapters.gateway.call_monitor import CallMonitor
from reknit.adapters.gateway.report_channel import ReportChannel
from reknit.adapters.gateway.request_body import BodyMemory
from reknit.adapters.gateway.request_handler import CallRecords, RequestHandler
from reknit.adapters.settled_future import result_or_error
from reknit.core.agents.call import Usage
from reknit.core.gateway.access import GatewayObservation, ModelAccess
from reknit.core.gateway.prices import PriceTable
from reknit.core.gateway.wire import WIRES
from reknit.ports.gateway import CallAccounting

_MAX_CONNECTIONS = 64


class ModelGateway:
    """Lives for one agent call. The ledger, token and limits belong to this call alone."""

    def __init__(self, access: ModelAccess, accounting: CallAccounting, *, prices: PriceTable) -> None:
        self.token, self.report_token = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self._closed = threading.Event()
        self._ledger = CallLedger(
            accounting, self._closed, budget_usd=access.budget_usd, max_requests=access.max_requests
        )
        self._watch = CallMonitor(accounting.accounts, access.account, self._closed)
        self._session = ReportChannel(access.role, access.answers)
        self._error = WIRES[access.provider].error
        records = CallRecords(self._ledger, self._watch, self._session, self._closed)
        self._passing = RequestHandler(access, self.token, self.report_token, prices, records=records, hold=self._held)
        self._memory = BodyMemory()
        self._listeners: list[socket.socket] = []
        self._open: set[socket.socket] = set()
        self._seats = threading.BoundedSemaphore(_MAX_CONNECTIONS)
        self._lock = threading.Lock()

    @property
    def seen(self) -> GatewayObservation:
        session = self._session.session
        return replace(
            self._watch.seen,
            report=session.report,
            report_problem=session.problem,
            refused_answers=session.refused_answers,
        )

    def serve(self, listener: socket.socket) -> None:
        """Returns immediately and answers in its own threads. `close` closes the listener."""
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
            _end(each)  # wakes the thread that waits on it, which closes it
        for listener in listeners:
            listener.close()
        return self._ledger.close()

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
        problem = result_or_error(lambda: self._answer(connection))  # a traceback of what a box sent could have a key
        if problem is not None and not isinstance(problem, OSError):  # a killed agent leaves broken connections
            self._watch.refused(f"the gateway failed: {type(problem).__name__}")

    def _answer(self, connection: socket.socket) -> None:
        try:
            with self._held(connection):
                BoxRequest(connection, self._passing.handle, self._error, self._memory)
        finally:
            self._seats.release()

    @contextlib.contextmanager
    def _held(self, connection: socket.socket) -> Iterator[None]:
        """`close` can end the connection while it is open; after `close` it is refused."""
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
    # the plain socket's method: that of a TLS socket would discard its session while another thread reads from it
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
