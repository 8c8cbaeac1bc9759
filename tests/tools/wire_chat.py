"""The OpenAI Chat Completions wire format of the scripted model, for the many clients that are compatible with it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.tools.wire import Event, Request, Turn, halves, texts_of, usage_of
from tests.tools.wire_responses import error as error

API = "chat"
PATH = "/v1/chat/completions"


def serves(place: str) -> bool:
    return place == PATH


def count(place: str) -> Event | None:
    return None


def tools(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for tool in body.get("tools") or ():
        yield tool[tool["type"]]["name"], tool["type"]


def user_texts(body: Mapping[str, Any]) -> Iterator[str]:
    for said in body.get("messages", ()):
        if said.get("role") == "user":
            yield from texts_of(said.get("content"), "text")


def streams(request: Request) -> bool:
    return bool(request.body.get("stream"))


def message(request: Request, turn: Turn, number: int) -> Event:
    calls = _calls(turn, number)
    answer = {"role": "assistant", "content": _text(turn) or None, **({"tool_calls": calls} if calls else {})}
    return {
        **_head(request, number, "chat.completion"),
        "choices": [{"index": 0, "message": answer, "finish_reason": _finish(turn)}],
        "usage": _usage(turn),
    }


def events(request: Request, turn: Turn, number: int) -> Iterator[Event]:
    """The usage comes in a last event without choices, and only to a client that asked for it."""
    if "sse_error" in turn:
        yield {
            "error": {"message": turn.get("error", "scripted"), "type": turn["sse_error"], "code": turn["sse_error"]}
        }
        return
    head = _head(request, number, "chat.completion.chunk")
    deltas: list[Event] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in halves(_text(turn))]
    deltas += [{"tool_calls": [{"index": place, **call}]} for place, call in enumerate(_calls(turn, number))]
    for delta in deltas:
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(turn)}]}
    if (request.body.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": _usage(turn)}


def closing() -> str:
    return "[DONE]"


def _head(request: Request, number: int, kind: str) -> Event:
    return {
        "id": f"chatcmpl-{number:08}",
        "object": kind,
        "created": int(request.at),
        "model": request.body.get("model"),
    }


def _text(turn: Turn) -> str:
    said: str = turn.get("text", "")
    return said


def _finish(turn: Turn) -> str:
    if turn.get("refusal"):
        return "content_filter"
    return "tool_calls" if turn.get("tools") else "stop"


def _calls(turn: Turn, number: int) -> list[Event]:
    if turn.get("refusal"):
        return []
    return [
        {
            "id": f"call_{number:08}_{place}",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["input"])},
        }
        for place, call in enumerate(turn.get("tools", ()))
    ]


def _usage(turn: Turn) -> Event:
    usage = usage_of(turn)
    return {
        "prompt_tokens": usage.prompt,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens": usage.output,
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.total,
    }
