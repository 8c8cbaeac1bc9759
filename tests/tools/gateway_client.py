"""A gateway between a client on its listener and an upstream, all on loopback."""

import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from reknit.adapters.gateway.server import ModelGateway
from reknit.core.agent_reports.session import PATH
from reknit.core.gateway.access import ModelAccess
from reknit.core.gateway.metering import ProviderRefusal
from reknit.core.gateway.prices import parse_prices
from reknit.ports.gateway import CallAccounting

KEY = "sk-real-canary-4711"
BODY: Mapping[str, Any] = {"model": "m", "max_tokens": 1000, "messages": [], "tools": [{"name": "Bash"}]}
WAIT_S = 20.0
_ROW = (
    'model = "*"\ninput = 1\ncached = 0.1\ncache_write = 2\ncache_write_short = 1.25\noutput = 5\nmax_output = 40_000\n'
)
PRICES = parse_prices("".join(f"[[{name}]]\n{_ROW}" for name in ("anthropic", "gemini", "openai")))


def about(usd: float) -> Any:
    """A sum of money to compare with, wherever one may stand."""
    return pytest.approx(usd)


@dataclass
class PaperClerk:
    """Keeps its accounts in lists."""

    sums: list[float] = field(default_factory=list)
    limits: list[tuple[str, ProviderRefusal]] = field(default_factory=list)
    served_accounts: list[str] = field(default_factory=list)
    until: float | None = None

    @property
    def accounts(self) -> "PaperClerk":
        return self

    def record_cost(self, usd: float, held_usd: float = 0.0) -> None:
        self.sums.append(usd + held_usd)

    def not_before(self, account: str) -> float | None:
        return self.until

    def record_limit(self, account: str, limit: ProviderRefusal) -> None:
        self.limits.append((account, limit))

    def record_success(self, account: str) -> None:
        self.served_accounts.append(account)


@dataclass
class Client:
    """What a process in the box can do: send requests to the one address it sees."""

    gateway: ModelGateway
    port: int
    _connections: list[http.client.HTTPConnection] = field(default_factory=list)

    def connect(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        self._connections.append(connection)
        return connection

    def send(
        self, body: object = BODY, *, method: str = "POST", target: str = "/v1/messages", headers: Any = None
    ) -> http.client.HTTPResponse:
        token = self.gateway.report_token if target == PATH else self.gateway.token
        given = {"x-api-key": token} if headers is None else headers
        connection = self.connect()
        connection.request(method, target, body if isinstance(body, bytes) else json.dumps(body), given)
        return connection.getresponse()

    def status(self, body: object = BODY, **more: Any) -> int:
        with contextlib.closing(self.send(body, **more)) as answer:
            answer.read()
            return answer.status

    def close(self) -> None:
        for connection in self._connections:
            connection.close()


@contextlib.contextmanager
def client_of(upstream: str, accounting: CallAccounting | None = None, **options: Any) -> Iterator[Client]:
    settings: dict[str, Any] = {
        "provider": "anthropic", "key": KEY, "account": "a", "budget_usd": 10.0, "max_requests": 100, **options,
    }  # fmt: skip
    gateway = ModelGateway(ModelAccess(upstream=upstream, **settings), accounting or PaperClerk(), prices=PRICES)
    listener = socket.create_server(("127.0.0.1", 0))
    client = Client(gateway, listener.getsockname()[1])
    gateway.serve(listener)
    try:
        yield client
    finally:
        gateway.close()
        client.close()


@contextlib.contextmanager
def upstream_that(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            answer(self)
            self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
