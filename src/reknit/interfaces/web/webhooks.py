"""The address a forge sends its webhooks to: small, and deaf to all that is not signed."""

import sys
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATH = "/webhooks/github"
LARGEST_BODY = 25_000_000
"""What GitHub sends at most."""
MOST_DIGITS = 10
"""Of a length; Python itself refuses to read thousands of them."""
SLOWEST_S = 15.0

Take = Callable[[Mapping[str, str], bytes], tuple[str, ...] | None]
Say = Callable[[str], None]
Follow = Callable[[Mapping[str, str], bytes], None]


def _nothing(_headers: Mapping[str, str], _body: bytes) -> None:
    """Most deliveries are done with when they are taken."""


def server(host: str, port: int, take: Take, say: Say, follow: Follow = _nothing) -> ThreadingHTTPServer:
    """`follow`: what takes longer than a forge waits for an answer; called after it, for what was taken."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = SLOWEST_S

        def do_GET(self) -> None:
            self._answer(200 if self.path == "/healthz" else 404, "ok" if self.path == "/healthz" else "not here")

        def do_POST(self) -> None:
            length = self.headers.get("content-length", "")
            if self.path != PATH or not length.isdecimal():
                return self._answer(404 if self.path != PATH else 411, "not here")
            if len(length) > MOST_DIGITS or int(length) > LARGEST_BODY:
                return self._answer(413, "too large")
            headers, body = dict(self.headers.items()), self.rfile.read(int(length))
            told = take(headers, body)
            if told is None:
                return self._answer(401, "not signed with the secret of this server")
            if told:
                say(f"{self.headers.get('x-github-event', 'event')} for {', '.join(told)}")
            self._answer(202, f"{len(told)} run(s) told", last=True)
            return follow(headers, body)

        def _answer(self, status: int, text: str, *, last: bool = False) -> None:
            """`last`: nobody listens on this connection for a while."""
            body = f"{text}\n".encode()
            self.close_connection = last or status >= 400  # what was not read must not be taken for the next request
            self.send_response(status)
            self.send_header("content-type", "text/plain; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            if self.close_connection:
                self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
            """Strangers' requests are not worth a line."""

    return _Server((host, port), Handler)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever hangs up in the middle is not worth a traceback; what fails on our side is."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]
