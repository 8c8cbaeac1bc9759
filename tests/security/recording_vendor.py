"""A model vendor that records every byte it is sent, and requests as a hostile process in a box writes them."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.tools.gateway_client import WAIT_S

PLAIN: dict[str, Any] = {"model": "m", "max_tokens": 1000, "messages": []}


@dataclass
class Vendor:
    """Records every byte that it is sent, and answers with `head` and `parts`."""

    url: str = ""
    seen: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    status: int = 200
    head: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    parts: tuple[bytes, ...] = (b'{"type": "message", "usage": {"input_tokens": 1, "output_tokens": 1}}',)


@contextlib.contextmanager
def recording_vendor() -> Iterator[Vendor]:
    made = Vendor()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            made.seen.append((self.requestline, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(made.status)
            for name, value in made.head.items():
                self.send_header(name, value)
            self.send_header("connection", "close")
            self.end_headers()
            for part in made.parts:
                self.wfile.write(part)
                self.wfile.flush()
                time.sleep(0.02 if len(made.parts) > 1 else 0)  # so that each part arrives on its own
            self.close_connection = True

        do_GET = do_PUT = do_DELETE = do_POST

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def raw(port: int, data: bytes) -> bytes:
    """All that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as box:
        with contextlib.suppress(OSError):
            box.sendall(data)
            box.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            return b"".join(iter(lambda: box.recv(1 << 16), b""))
    return b""


def request(token: str, body: object = PLAIN, target: str = "/v1/messages", method: str = "POST") -> bytes:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"{method} {target} HTTP/1.1\r\nHost: x\r\nx-api-key: {token}\r\nconnection: close\r\n"
    return head.encode("latin-1") + b"content-length: %d\r\n\r\n%s" % (len(content), content)


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0
