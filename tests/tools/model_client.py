"""A plain HTTP client for the scripted model, with the least request of each wire format."""

import contextlib
import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.tools.scripted_model import ScriptedModel

Body = dict[str, Any]


@dataclass(frozen=True)
class Ask:
    """How one wire format is asked for one answer by a client that offers the tool `Bash`."""

    api: str
    path: str
    stream_path: str
    tools: list[Body]
    said: str
    """The key under which the conversation stands."""

    def body(self, *texts: str, **more: Any) -> Body:
        return {"model": "m", "tools": self.tools, self.said: [self._user(text) for text in texts or ("hi",)], **more}

    def _user(self, text: str) -> Body:
        if self.api == "gemini":
            return {"role": "user", "parts": [{"text": text}]}
        kind = "input_text" if self.api == "responses" else "text"
        return {"role": "user", "content": [{"type": kind, "text": text}]}


_SCHEMA: Body = {"name": "Bash", "description": "", "parameters": {}}
_GEMINI = "/v1beta/models/m:"

ANTHROPIC = Ask("anthropic", "/v1/messages", "/v1/messages", [{"name": "Bash", "input_schema": {}}], "messages")
GEMINI = Ask(
    *("gemini", f"{_GEMINI}generateContent", f"{_GEMINI}streamGenerateContent?alt=sse"),
    *([{"functionDeclarations": [_SCHEMA]}], "contents"),
)
RESPONSES = Ask("responses", "/v1/responses", "/v1/responses", [{"type": "function", **_SCHEMA}], "input")
CHAT = Ask(
    *("chat", "/v1/chat/completions", "/v1/chat/completions"),
    *([{"type": "function", "function": _SCHEMA}], "messages"),
)
ALL = (ANTHROPIC, GEMINI, RESPONSES, CHAT)


@contextlib.contextmanager
def asked(model: ScriptedModel, path: str, body: Body | None) -> Iterator[http.client.HTTPResponse]:
    """`body`: None sends a GET."""
    connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=20)
    with contextlib.closing(connection):
        content = None if body is None else json.dumps(body)
        connection.request("GET" if body is None else "POST", path, content, {"x-api-key": "k"})
        with contextlib.closing(connection.getresponse()) as answer:
            yield answer


def whole(model: ScriptedModel, ask: Ask, *texts: str, **more: Any) -> Body:
    with asked(model, ask.path, ask.body(*texts, **more)) as answer:
        content: Body = json.loads(answer.read())
    return content


def streamed(model: ScriptedModel, ask: Ask, *texts: str, **more: Any) -> list[Body]:
    """The events of a stream. Where events have names, name and `type` are one."""
    with asked(model, ask.stream_path, ask.body(*texts, stream=True, **more)) as answer:
        assert (answer.status, answer.getheader("content-type")) == (200, "text/event-stream")
        return list(_events(answer.read().decode()))


def _events(text: str) -> Iterator[Body]:
    assert text.endswith("\n\n")
    for frame in text.removesuffix("\n\n").split("\n\n"):
        *name, data = frame.split("\n")
        assert data.startswith("data: ")
        event: Body = {"done": True} if data == "data: [DONE]" else json.loads(data.removeprefix("data: "))
        assert name == ([f"event: {event['type']}"] if "type" in event else [])
        yield event
