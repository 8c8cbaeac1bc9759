"""The HTTP side of the scripted model: finds the wire format of a request and plays a turn in it."""

import json
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event as Signal
from typing import Any, Protocol

from tests.tools import wire_anthropic, wire_chat, wire_gemini, wire_responses
from tests.tools.wire import Event, Request, Turn, Wire

_WIRES: Sequence[Wire] = (wire_anthropic, wire_gemini, wire_responses, wire_chat)
_MODEL = {"id": "scripted", "object": "model", "type": "model", "display_name": "scripted", "owned_by": "scripted"}
_MODELS: Event = {"object": "list", "data": [_MODEL], "has_more": False, "first_id": "scripted", "last_id": "scripted"}


class Player(Protocol):
    """Who decides what is answered."""

    def take(self, request: Request, texts: Sequence[str]) -> tuple[Turn, str]: ...

    def note(self, request: Request) -> int: ...

    def wait_forever(self) -> None: ...

    def wait_until(self, event: Signal) -> None: ...


class ModelServer(ThreadingHTTPServer):
    daemon_threads = False  # so that `server_close` waits for every answer to end

    def __init__(self, player: Player) -> None:
        self.player = player
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Answer)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def cut_all(self) -> None:
        """Clients keep idle connections open; their threads wait until these are cut."""
        for connection in tuple(self._connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A killed agent leaves broken connections: not a failure of the server."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        request = self._request({})
        self.server.player.note(request)
        if request.place == "/v1/models":
            self._json(200, _MODELS)
            return
        self._json(404, wire_anthropic.error(404, {}))

    def do_HEAD(self) -> None:
        self.server.player.note(self._request({}))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        at = time.time()
        raw = self._body()
        request = replace(self._request(json.loads(raw or b"{}")), at=at, raw=raw)
        wire = next((wire for wire in _WIRES if wire.serves(request.place)), None)
        if wire is None:
            self.server.player.note(request)
            self._json(404, wire_anthropic.error(404, {}))
            return
        offered = tuple(wire.tools(request.body))
        names, kinds = tuple(name for name, _ in offered), frozenset(kind for _, kind in offered)
        known = replace(request, api=wire.API, tools=names, tool_types=kinds)
        counted = wire.count(request.place)
        if counted is not None:
            self.server.player.note(known)
            self._json(200, counted)
            return
        self._answer(wire, known)

    def _answer(self, wire: Wire, request: Request) -> None:
        player = self.server.player
        turn, label = player.take(request, list(wire.user_texts(request.body)))
        number = player.note(replace(request, turn=label))
        if turn.get("hang"):
            player.wait_forever()
            self.close_connection = True
            return
        if "delay" in turn:
            player.wait_until(turn["delay"])
        drop = bool(turn.get("drop"))
        if "status" in turn:
            self._json(turn["status"], wire.error(turn["status"], turn), turn.get("headers", {}), drop=drop)
            return
        if not wire.streams(request):
            self._json(200, wire.message(request, turn, number), drop=drop)
            return
        self._stream(list(_frames(wire, request, turn, number)), drop=drop)

    def _stream(self, frames: Sequence[bytes], *, drop: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for frame in frames[: len(frames) // 2] if drop else frames:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(frame), frame))
            self.wfile.flush()
        if drop:
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")

    def _json(
        self, status: int, content: object, headers: Mapping[str, str] | None = None, *, drop: bool = False
    ) -> None:
        raw = json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw[: len(raw) // 2] if drop else raw)
        self.close_connection = self.close_connection or drop

    def _request(self, body: Mapping[str, Any]) -> Request:
        headers = {name.lower(): value for name, value in self.headers.items()}
        return Request(self.command, self.path, headers, body, at=time.time())

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().strip() or b"0", 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)


def _frames(wire: Wire, request: Request, turn: Turn, number: int) -> Iterator[bytes]:
    for event in wire.events(request, turn, number):
        name = f"event: {event['type']}\n" if "type" in event else ""
        yield f"{name}data: {json.dumps(event)}\n\n".encode()
    if wire.closing():
        yield f"data: {wire.closing()}\n\n".encode()
