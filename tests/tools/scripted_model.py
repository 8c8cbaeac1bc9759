"""A scripted model: a loopback server that a real coding agent takes for its model service.

    with ScriptedModel(turns=[{"tools": [...]}, {"text": "done"}]) as model:
        ... point the agent at model.url, then look at model.work ...

A turn is a dict; the keys combine unless they exclude each other:

    text        what the model says; without `tools` it ends the agent's work
    tools       [{"name": N, "input": {...}}, ...] tool calls, parallel if several
    status      an HTTP error, with `error` (its message) and `headers`
    sse_error   HTTP 200, then an error event of this type inside the stream
    drop        the connection is cut in the middle of the answer
    hang        accepted and never answered
    delay       a `threading.Event`: the answer waits for it
    usage       {"input": 100, "output": 20, "cached": 0, "cache_write": 0}
    repeat      this turn answers every later request too

A request takes its script from the last marker [[script:NAME]] in what the user said; without one, or with an unknown
name, it takes `turns`. Each script counts its own turns; after the last one the answer is "done". A request that offers
no tools is a side request (a title, a topic) and is answered with "ok", apart from the scripts.

Each wire format is one file (`wire_anthropic.py`); a further one is added beside it and in `_answer`.
"""

import json
import re
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.tools import wire_anthropic

Turn = Mapping[str, Any]

_MARKER = re.compile(r"\[\[script:([\w.-]+)\]\]")
_OVER: Turn = {"text": "done"}
_SIDE: Turn = {"text": "ok"}


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]
    turn: str
    """Which turn answered: `NAME[2]`, `NAME[2*]` for a repeated one, `over`, `side`, or empty."""

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools this request offers to the model."""
        return tuple(tool.get("name", "") for tool in self.body.get("tools") or ())

    @property
    def tool_types(self) -> frozenset[str]:
        return frozenset(tool.get("type") or "custom" for tool in self.body.get("tools") or ())


@dataclass
class ScriptedModel:
    scripts: Mapping[str, Sequence[Turn]] = field(default_factory=dict)
    turns: Sequence[Turn] = ()
    """For requests without a marker."""

    def __post_init__(self) -> None:
        self.log: list[Request] = []
        self.arrived = threading.Condition()
        self._cursor: dict[str, int] = {}
        self._over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="scripted-model")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def work(self) -> list[Request]:
        """The requests that turns of a script answered; side requests and counts are left out."""
        return [request for request in self.log if request.turn not in ("", "side")]

    def wait_for(self, requests: int, timeout_s: float = 30.0) -> bool:
        """Until that many requests of the agent's work have come."""
        with self.arrived:
            return self.arrived.wait_for(lambda: len(self.work) >= requests, timeout_s)

    def __enter__(self) -> "ScriptedModel":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends every answer that hangs; no thread of this server is left."""
        self._over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.cut_all()
        self._server.server_close()

    def take(self, body: Mapping[str, Any], texts: Sequence[str], *, side: bool) -> tuple[Turn, str]:
        """The turn that answers, and its label for the log."""
        if side:
            return _SIDE, "side"
        markers = [name for text in texts for name in _MARKER.findall(text) if name in self.scripts]
        name = markers[-1] if markers else ""
        script = self.scripts[name] if name else self.turns
        with self.arrived:
            at = self._cursor.get(name, 0)
            self._cursor[name] = at + 1
        for place, turn in enumerate(script):
            if place <= at and turn.get("repeat"):
                return turn, f"{name}[{place}*]"
            if place == at:
                return turn, f"{name}[{place}]"
        return _OVER, "over"

    def note(self, request: Request) -> None:
        with self.arrived:
            self.log.append(request)
            self.arrived.notify_all()

    def wait_forever(self) -> None:
        self._over.wait()

    def wait_until(self, event: threading.Event) -> None:
        while not event.wait(0.02) and not self._over.is_set():
            pass


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that `server_close` waits for every answer to end

    def __init__(self, address: tuple[str, int], model: ScriptedModel) -> None:
        self.model = model
        self._connections: set[socket.socket] = set()
        super().__init__(address, _Answer)

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


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._note({}, "")
        self._json(404, wire_anthropic.error(404, {}))

    def do_HEAD(self) -> None:
        self._note({}, "")
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        body = json.loads(self._body() or b"{}")
        path = self.path.partition("?")[0]
        if path == wire_anthropic.PATH:
            self._answer(body)
            return
        self._note(body, "")
        if path == wire_anthropic.COUNT_PATH:
            self._json(200, {"input_tokens": 100})
            return
        self._json(404, wire_anthropic.error(404, {}))

    def _answer(self, body: Mapping[str, Any]) -> None:
        model, wire = self.server.model, wire_anthropic
        turn, label = model.take(body, list(wire.user_texts(body)), side=wire.is_side(body))
        self._note(body, label)
        number = len(model.log)
        if turn.get("hang"):
            model.wait_forever()
            self.close_connection = True
            return
        if "delay" in turn:
            model.wait_until(turn["delay"])
        if "status" in turn:
            self._json(turn["status"], wire.error(turn["status"], turn), turn.get("headers", {}))
            return
        if not body.get("stream"):
            self._json(200, wire.message(body, turn, number))
            return
        self._stream(list(wire.events(body, turn, number)), drop=bool(turn.get("drop")))

    def _stream(self, events: Sequence[Mapping[str, Any]], *, drop: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in events[: len(events) // 2] if drop else events:
            frame = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(frame), frame))
            self.wfile.flush()
        if drop:
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")

    def _json(self, status: int, content: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        raw = json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _note(self, body: Mapping[str, Any], turn: str) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.model.note(Request(self.command, self.path, headers, body, turn))

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().strip() or b"0", 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)
