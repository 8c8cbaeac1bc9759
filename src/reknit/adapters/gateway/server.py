"""The model gateway, the only way out of a box: it accepts connections; `request_handler` answers the requests."""

import contextlib
import secrets
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

from reknit.adapters.gateway.box_connection import BodyMemory, BoxRequest
from reknit.adapters.gateway.call_ledger import CallLedger, CallMonitor
from reknit.adapters.gateway.request_handler import CallRecords, ReportChannel, RequestHandler
from reknit.adapters.settled_future import call_for_result
from reknit.core.agents.call import Usage
from reknit.core.gateway.access import GatewayObservation, ModelAccess
from reknit.core.gateway.prices import PriceTable
from reknit.core.gateway.wire import WIRES
from reknit.ports.gateway import CallAccounting

_MAX_CONNECTIONS = 64


class ModelGateway:
    """The gateway of one agent call. The ledger, token and limits belong to this call alone."""

    def __init__(self, access: ModelAccess, accounting: CallAccounting, *, prices: PriceTable) -> None:
        self.token, self.report_token = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self._closed = threading.Event()
        self._ledger = CallLedger(
            accounting, self._closed, budget_usd=access.budget_usd, max_requests=access.max_requests
        )
        self._monitor = CallMonitor(accounting.accounts, access.account, self._closed)
        self._reports = ReportChannel(access.role, access.answers)
        self._error = WIRES[access.provider].to_error
        records = CallRecords(self._ledger, self._monitor, self._reports, self._closed)
        self._handler = RequestHandler(
            access, self.token, self.report_token, prices, records=records, hold=self._register
        )
        self._memory = BodyMemory()
        self._listeners: list[socket.socket] = []
        self._open: set[socket.socket] = set()
        self._seats = threading.BoundedSemaphore(_MAX_CONNECTIONS)
        self._lock = threading.Lock()

    @property
    def observation(self) -> GatewayObservation:
        session = self._reports.session
        return replace(
            self._monitor.observation,
            report=session.report,
            report_problem=session.problem,
            refused_answers=session.refused_answers,
        )

    def serve(self, listener: socket.socket) -> None:
        """Return immediately and answer in threads. `close` closes the listener."""
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
        for endpoint in (*listeners, *connections):
            _shut_down(endpoint)  # wakes the thread that waits on it, which closes it
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
            threading.Thread(
                target=self._handle_connection, args=(connection,), name="reknit-gateway", daemon=True
            ).start()

    def _handle_connection(self, connection: socket.socket) -> None:
        problem = call_for_result(lambda: self._answer(connection))  # a traceback could contain a key
        if problem is not None and not isinstance(problem, OSError):  # a killed agent leaves broken connections
            self._monitor.record_refusal(f"the gateway failed: {type(problem).__name__}")

    def _answer(self, connection: socket.socket) -> None:
        try:
            with self._register(connection):
                BoxRequest(connection, self._handler.handle, self._error, self._memory)
        finally:
            self._seats.release()

    @contextlib.contextmanager
    def _register(self, connection: socket.socket) -> Iterator[None]:
        """Register the connection, so that `close` can end it; after `close` it is refused."""
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


def _shut_down(connection: socket.socket) -> None:
    # the method of the plain socket: the one of a TLS socket drops its session, while another thread still reads
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
