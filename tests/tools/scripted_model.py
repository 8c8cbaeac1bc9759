"""A scripted model: a loopback server that a real coding agent takes for its model service.

    with ScriptedModel(turns=[{"tools": [...]}, {"text": "done"}]) as model:
        ... point the agent at model.url, then look at model.work ...

It speaks Anthropic Messages, Gemini generateContent, OpenAI Responses and OpenAI Chat Completions, each on its path.
A turn is a dict and the same for all of them; the keys combine unless they exclude each other:

    text        what the model says; without `tools` it ends the agent's work
    tools       [{"name": N, "input": {...}}, ...] tool calls, parallel if several; for Responses also `"custom": True`
                (`input` is a plain string) and `"namespace": "mcp__x"`
    refusal     the model refuses, in the vendor's way of saying so
    status      an HTTP error, with `error` (its message), `code` (the vendor's word for it, when the status does not
                say it all), `headers`, and for Gemini `details`
    sse_error   HTTP 200, then an error of this type inside the stream
    drop        the connection is cut in the middle of the answer
    hang        accepted and never answered
    delay       a `threading.Event`: the answer waits for it
    usage       {"input": 100, "output": 20, "cached": 0, "cache_write": 0, "reasoning": 0}: `input` is what was neither
                cached nor written to the cache, `reasoning` a part of `output`, whatever a vendor adds together
    repeat      this turn answers every later request too

A request takes its script from the last marker [[script:NAME]] in what the user said; without one, or with an unknown
name, it takes `turns`. Each script counts its own turns; after the last one the answer is "done". A request that offers
no tools is a side request (a title, a topic) and is answered with "ok", apart from the scripts. Before all of this,
`decide` is asked: what it returns is the answer.

Each wire format is one module with the shape of `wire.Wire`; a further one is added beside them and in `model_http.py`.
"""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType

from tests.tools.model_http import ModelServer
from tests.tools.wire import Request as Request
from tests.tools.wire import Turn as Turn

_MARKER = re.compile(r"\[\[script:([\w.-]+)\]\]")
_OVER: Turn = {"text": "done"}
_SIDE: Turn = {"text": "ok"}


def _follow_the_script(_: Request) -> Turn | None:
    return None


@dataclass
class ScriptedModel:
    scripts: Mapping[str, Sequence[Turn]] = field(default_factory=dict)
    turns: Sequence[Turn] = ()
    """For requests without a marker."""
    decide: Callable[[Request], Turn | None] = _follow_the_script
    """Asked first, for side requests too, from the thread of the request; None leaves the answer to the script."""

    def __post_init__(self) -> None:
        self.log: list[Request] = []
        self.arrived = threading.Condition()
        self._cursor: dict[str, int] = {}
        self._over = threading.Event()
        self._server = ModelServer(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="scripted-model")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def work(self) -> list[Request]:
        """The requests of the agent's work; side requests and counts are left out."""
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

    def take(self, request: Request, texts: Sequence[str]) -> tuple[Turn, str]:
        """The turn that answers, and its label for the log."""
        decided = self.decide(request)
        if not request.tools:
            return decided or _SIDE, "side"
        if decided is not None:
            return decided, "decided"
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

    def note(self, request: Request) -> int:
        """Its number, counted from one."""
        with self.arrived:
            self.log.append(request)
            self.arrived.notify_all()
            return len(self.log)

    def wait_forever(self) -> None:
        self._over.wait()

    def wait_until(self, event: threading.Event) -> None:
        while not event.wait(0.02) and not self._over.is_set():
            pass
