"""The Anthropic Messages wire format of the scripted model: one turn in, HTTP out."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.tools.wire import Event, Request, Turn, texts_of, usage_of

API = "anthropic"
PATH = "/v1/messages"
COUNT_PATH = "/v1/messages/count_tokens"

_ERRORS = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
}  # fmt: skip


def serves(place: str) -> bool:
    return place in (PATH, COUNT_PATH)


def count(place: str) -> Event | None:
    return {"input_tokens": 100} if place == COUNT_PATH else None


def tools(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for tool in body.get("tools") or ():
        yield tool.get("name", ""), tool.get("type") or "custom"


def user_texts(body: Mapping[str, Any]) -> Iterator[str]:
    for said in body.get("messages", ()):
        if said.get("role") == "user":
            yield from texts_of(said.get("content"), "text")


def streams(request: Request) -> bool:
    return bool(request.body.get("stream"))


def error(status: int, turn: Turn) -> Event:
    kind = turn.get("code", _ERRORS.get(status, "api_error"))
    return {"type": "error", "error": {"type": kind, "message": turn.get("error", kind)}}


def message(request: Request, turn: Turn, number: int) -> Event:
    usage = usage_of(turn)
    return {
        "id": f"msg_{number:08}",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model"),
        "content": _blocks(turn, number),
        "stop_reason": _stop_reason(turn),
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.fresh,
            "cache_creation_input_tokens": usage.cache_write,
            "cache_read_input_tokens": usage.cached,
            "output_tokens": usage.output,
        },
    }


def events(request: Request, turn: Turn, number: int) -> Iterator[Event]:
    """The input count comes with the first event, the output count near the end."""
    if "sse_error" in turn:
        yield {"type": "error", "error": {"type": turn["sse_error"], "message": turn.get("error", "scripted")}}
        return
    whole = message(request, turn, number)
    yield {
        "type": "message_start",
        "message": {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}},
    }
    for index, block in enumerate(whole["content"]):
        start, delta = _start_and_delta(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": whole["usage"]["output_tokens"]},
    }
    yield {"type": "message_stop"}


def closing() -> str:
    return ""


def _stop_reason(turn: Turn) -> str:
    if turn.get("refusal"):
        return "refusal"
    return "tool_use" if turn.get("tools") else "end_turn"


def _blocks(turn: Turn, number: int) -> list[Event]:
    said = [{"type": "text", "text": turn["text"]}] if turn.get("text") else []
    if turn.get("refusal"):
        return said
    return said + [
        {"type": "tool_use", "id": f"toolu_{number:08}_{place}", "name": call["name"], "input": call["input"]}
        for place, call in enumerate(turn.get("tools", ()))
    ]


def _start_and_delta(block: Event) -> tuple[Event, Event]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
