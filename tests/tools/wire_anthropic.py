"""The Anthropic Messages wire format of the scripted model: one turn in, HTTP out."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

PATH = "/v1/messages"
COUNT_PATH = "/v1/messages/count_tokens"

_ERRORS = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
}  # fmt: skip

Body = Mapping[str, Any]
Turn = Mapping[str, Any]
Event = dict[str, Any]


def user_texts(body: Body) -> Iterator[str]:
    """What the user said, oldest first; results of tools are left out."""
    for message in body.get("messages", ()):
        if message.get("role") != "user":
            continue
        content = message.get("content")
        if isinstance(content, str):
            yield content
            continue
        for block in content or ():
            if block.get("type") == "text":
                yield block["text"]


def is_side(body: Body) -> bool:
    """A request without tools is no turn of the work: a title, a topic, a quota probe."""
    return not body.get("tools")


def error(status: int, turn: Turn) -> Event:
    kind = _ERRORS.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": turn.get("error", kind)}}


def message(body: Body, turn: Turn, number: int) -> Event:
    """The whole answer, as a client that does not stream gets it."""
    blocks = _blocks(turn, number)
    usage = turn.get("usage", {})
    return {
        "id": f"msg_{number:08}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": blocks,
        "stop_reason": "tool_use" if turn.get("tools") else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.get("input", 100),
            "cache_creation_input_tokens": usage.get("cache_write", 0),
            "cache_read_input_tokens": usage.get("cached", 0),
            "output_tokens": usage.get("output", 20),
        },
    }


def events(body: Body, turn: Turn, number: int) -> Iterator[Event]:
    """The same answer as a stream. The input count comes with the first event, the output count near the end."""
    if "sse_error" in turn:
        yield {"type": "error", "error": {"type": turn["sse_error"], "message": turn.get("error", "scripted")}}
        return
    whole = message(body, turn, number)
    yield {
        "type": "message_start",
        "message": {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}},
    }
    for index, block in enumerate(whole["content"]):
        start, delta = _halves(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": whole["usage"]["output_tokens"]},
    }
    yield {"type": "message_stop"}


def _blocks(turn: Turn, number: int) -> list[Event]:
    calls: Sequence[Mapping[str, Any]] = turn.get("tools", ())
    said = [{"type": "text", "text": turn["text"]}] if turn.get("text") else []
    return said + [
        {"type": "tool_use", "id": f"toolu_{number:08}_{place}", "name": call["name"], "input": call["input"]}
        for place, call in enumerate(calls)
    ]


def _halves(block: Event) -> tuple[Event, Event]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
