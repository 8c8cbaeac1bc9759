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

from reknit.adapters.gateway import ModelGateway

KEY = "sk-real-canary-4711"
BODY: Mapping[str, Any] = {"model": "m", "messages": [], "tools": [{"name": "Bash"}]}
WAIT_S = 20.0


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
        given = {"x-api-key": self.gateway.token} if headers is None else headers
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
def client_of(upstream: str, **options: Any) -> Iterator[Client]:
    settings: dict[str, Any] = {
        "key": KEY, "key_header": "x-api-key", "allow_search": False, "max_requests": 50, "max_tokens": 1_000_000,
        **options,
    }  # fmt: skip
    gateway = ModelGateway(upstream=upstream, **settings)
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
