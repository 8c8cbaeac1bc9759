"""The model gateway: the one way out of a box; puts the real key in place of the run token, meters and caps."""

import contextlib
import http.client
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from urllib.parse import SplitResult, urlsplit

from reknit.adapters.gateway_http import BoxRequest
from reknit.core import gateway as rules
from reknit.core.agent_call import Usage
from reknit.core.errors import UsageProblem
from reknit.core.gateway import OVER_BUDGET
from reknit.core.metering import UNREACHABLE, Meter, NotNow, Tokens, not_now

_UPSTREAM_HELP = "set `upstream` to an http or https address, without a user or password in it"
_CONNECT_S = 20.0
_ANSWER_S = 600.0
_MAX_CONNECTIONS = 64
_MAX_NOTED = 50
_MAX_WORDS = 200


class ModelGateway:
    """Lives for one agent call. Counters, token and limits are this call's own."""

    def __init__(
        self, *, upstream: str, key: str, key_header: str, allow_search: bool, max_requests: int, max_tokens: int
    ) -> None:
        """`max_tokens` is counted as `Tokens.worth`. What is on its way when a limit is reached still comes in."""
        self.token = secrets.token_urlsafe(24)
        self._address = _address(upstream)
        self._credential = {key_header: f"Bearer {key}" if key_header == "authorization" else key}
        self._allow_search, self._max_requests, self._max_tokens = allow_search, max_requests, max_tokens
        self._meters: list[Meter] = []
        self._requests = 0
        self._refused: dict[str, None] = {}
        self._limit: NotNow | None = None
        self._listeners: list[socket.socket] = []
        self._open: set[socket.socket] = set()
        self._seats = threading.BoundedSemaphore(_MAX_CONNECTIONS)
        self._lock = threading.Lock()
        self._closed = False

    @property
    def refused(self) -> tuple[str, ...]:
        return tuple(self._refused)

    @property
    def limit(self) -> NotNow | None:
        return self._limit

    def serve(self, listener: socket.socket) -> None:
        """Returns at once; answers in threads of its own. The listener is closed by `close`."""
        listener.settimeout(None)
        with self._lock:
            if self._closed:
                listener.close()
                return
            self._listeners.append(listener)
        threading.Thread(target=self._accept, args=(listener,), name="reknit-gateway", daemon=True).start()

    def close(self) -> Usage:
        with self._lock:
            self._closed = True
            listeners, self._listeners = self._listeners, []
            connections = list(self._open)
        for each in (*listeners, *connections):
            _end(each)  # wakes the thread that waits on it, which then closes it
        for listener in listeners:
            listener.close()
        used = self._used()
        return Usage(used.input, used.cached, used.output, requests=self._requests)

    def _used(self) -> Tokens:
        seen = [meter.tokens for meter in tuple(self._meters)]
        return Tokens(sum(t.input for t in seen), sum(t.cached for t in seen), sum(t.output for t in seen))

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
                BoxRequest(connection, self._attend)
        except OSError:
            return  # a killed agent leaves broken connections: nobody's failure
        finally:
            self._seats.release()

    @contextlib.contextmanager
    def _held(self, connection: socket.socket) -> Iterator[None]:
        """Known to `close` while it is open, and refused after it."""
        with connection:
            with self._lock:
                if self._closed:
                    raise ConnectionAbortedError("the gateway is closed")
                self._open.add(connection)
            try:
                yield
            finally:
                with self._lock:
                    self._open.discard(connection)

    def _attend(self, request: BoxRequest, body: bytes) -> None:
        if request.path == "/" and request.command in ("GET", "HEAD"):
            request.fail(403, "this is the model gateway")  # a CLI's probe or doctor's: no offence, not noted
            return
        refusal = self._refusal(request, body)
        if refusal:
            self._note(refusal)
            request.fail(403, refusal)
            return
        self._pass_on(request, body)

    def _refusal(self, request: BoxRequest, body: bytes) -> str:
        if refusal := rules.path_refusal(request.command, request.path):
            return refusal
        shown = rules.presented_token({name.lower(): value for name, value in request.headers.items()})
        if not secrets.compare_digest(shown.encode(), self.token.encode()):
            return "wrong run token"
        if refusal := rules.body_refusal(body, allow_search=self._allow_search):
            return refusal
        with self._lock:
            if self._requests >= self._max_requests or self._used().worth >= self._max_tokens:
                return OVER_BUDGET
            self._requests += 1
        return ""

    def _note(self, refusal: str) -> None:
        with self._lock:
            if len(self._refused) < _MAX_NOTED or refusal == OVER_BUDGET:
                self._refused[ascii(refusal)[1:-1][:_MAX_WORDS]] = None

    def _pass_on(self, request: BoxRequest, body: bytes) -> None:
        with contextlib.ExitStack() as stack:
            try:
                answer = self._ask(request, body, stack)
            except (OSError, http.client.HTTPException) as problem:
                if self._closed:
                    request.close_connection = True  # it was `close` that cut the connection, not the provider
                    return
                self._limit = NotNow(UNREACHABLE)
                request.fail(502, f"the model's address gives no answer ({type(problem).__name__})")
                return
            if answer.getheader("content-encoding", "identity") != "identity":
                request.fail(502, "the model's answer is compressed and cannot be metered")
                return
            self._hand_over(request, answer)

    def _ask(self, request: BoxRequest, body: bytes, stack: contextlib.ExitStack) -> http.client.HTTPResponse:
        address = self._address
        https = address.scheme == "https"
        make = http.client.HTTPSConnection if https else http.client.HTTPConnection
        upstream = stack.enter_context(contextlib.closing(make(address.netloc, timeout=_CONNECT_S)))
        upstream.connect()
        stack.enter_context(self._held(upstream.sock))
        upstream.sock.settimeout(_ANSWER_S)
        headers = rules.chosen(request.headers.items(), rules.REQUEST_HEADERS) | self._credential
        # not compressed: the usage must be readable on its way through
        headers |= {"accept-encoding": "identity", "connection": "close"}
        upstream.request(request.command, address.path + rules.upstream_target(request.path), body, headers)
        return stack.enter_context(contextlib.closing(upstream.getresponse()))

    def _hand_over(self, request: BoxRequest, answer: http.client.HTTPResponse) -> None:
        headers = {name.lower(): value for name, value in answer.getheaders()}
        self._limit = not_now(answer.status, headers, now=time.time()) or self._limit
        meter = Meter(streamed="event-stream" in headers.get("content-type", ""))
        self._meters.append(meter)
        request.begin(answer.status, rules.chosen(headers.items(), rules.ANSWER_HEADERS))
        try:
            for part in _parts(answer):
                request.part(part)
                meter.feed(part)
        except http.client.HTTPException:
            request.close_connection = True  # no last chunk: the box sees that the answer was cut
            return
        meter.end()
        if meter.error_status and answer.status == http.client.OK:  # an error status has said it already, with its time
            self._limit = NotNow(meter.error_status)
        request.end()


def _address(upstream: str) -> SplitResult:
    address = urlsplit(upstream.rstrip("/"))
    if address.scheme not in ("http", "https") or not address.hostname or "@" in address.netloc:
        # not shown: it may hold a password
        raise UsageProblem("bad-upstream", "the agent's upstream is no address of a model", help=_UPSTREAM_HELP)
    return address


def _parts(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """Whatever has come, as it comes. The length is watched here: before Python 3.11.8 `read1` waits beyond the end."""
    left = answer.length
    while left is None or left > 0:
        part = answer.read1(65536)
        if not part and left is not None:
            raise http.client.IncompleteRead(b"", left)
        if not part:
            return
        yield part
        left = None if left is None else left - len(part)


def _end(connection: socket.socket) -> None:
    # the plain socket's method: the one of a TLS socket would pull its session from under the reading thread
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
