"""A loopback server of real git repositories over HTTP, which a test can make late, deaf, strict or forgetful."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

from reknit.adapters import process


@dataclass
class Request:
    what: str
    """`GET upload`, `POST upload`, `GET receive`, `POST receive`, or method and path of anything else."""
    authorization: str
    answer_bytes: int = 0


Answer = tuple[int, str, str]
"""Status, text, and where it sends to."""


class GitServer:
    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.url = folder, f"http://127.0.0.1:{port}"
        self.requests: list[Request] = []
        self.before: Callable[[Request], Answer | None] = lambda request: None
        """Called before a request is done; an answer takes the place of git's."""
        self.cut = ""
        """The request that is done but never answered."""

    def asked(self, what: str) -> list[Request]:
        return [request for request in self.requests if request.what == what]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    hub: GitServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_CONNECT = do_GET

    def _serve(self) -> None:
        body = self._body()
        request = Request(self._what(), self.headers.get("authorization", ""))
        self.hub.requests.append(request)
        answer = self.hub.before(request)
        if answer:
            self._send(answer[0], answer[1].encode(), {"Content-Type": "text/plain", "Location": answer[2]})
            return
        status, headers, content = self._git(body)
        request.answer_bytes = len(content)
        if self.hub.cut == request.what:
            self.close_connection = True
            return
        self._send(status, content, headers)

    def _what(self) -> str:
        for service in ("upload", "receive"):
            if f"git-{service}-pack" in self.path:
                return f"{self.command} {service}"
        return f"{self.command} {self.path}"

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _git(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        url = urlsplit(self.path)
        env = {
            "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_PROJECT_ROOT": str(self.hub.folder), "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "dev",
            "PATH_INFO": url.path, "QUERY_STRING": url.query, "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("content-type", ""), "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
        }  # fmt: skip
        head, _, content = process.run(["git", "http-backend"], env=env, stdin=body).stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        return int(headers.pop("Status", "200").split()[0]), headers, content

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def git_server(folder: Path) -> Iterator[GitServer]:
    """Serves every bare repository in the folder."""

    class Handler(_Handler):
        pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        Handler.hub = GitServer(folder, listening.server_port)
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield Handler.hub
        finally:
            listening.shutdown()
            thread.join()
