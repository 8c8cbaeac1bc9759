"""The OpenAI Responses wire format of the scripted model: one turn in, HTTP out."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.tools.wire import Event, Request, Turn, halves, texts_of, usage_of

API = "responses"
PATH = "/v1/responses"

_KINDS = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    429: "rate_limit_error",
}  # fmt: skip
_DELTAS = {
    "output_text": "response.output_text.delta",
    "refusal": "response.refusal.delta",
    "function_call": "response.function_call_arguments.delta",
    "custom_tool_call": "response.custom_tool_call_input.delta",
}


def serves(place: str) -> bool:
    return place == PATH


def count(place: str) -> Event | None:
    return None


def tools(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Newer models get their tools inside the input."""
    yield from _offers(body.get("tools") or ())
    for item in _items(body):
        if item.get("type") == "additional_tools":
            yield from _offers(item.get("tools") or ())


def user_texts(body: Mapping[str, Any]) -> Iterator[str]:
    for item in _items(body):
        if item.get("role") == "user":
            yield from texts_of(item.get("content"), "input_text")


def streams(request: Request) -> bool:
    return bool(request.body.get("stream"))


def error(status: int, turn: Turn) -> Event:
    kind = _KINDS.get(status, "server_error")
    return {"error": {"message": turn.get("error", kind), "type": kind, "param": None, "code": turn.get("code")}}


def message(request: Request, turn: Turn, number: int) -> Event:
    usage = usage_of(turn)
    return {
        **_head(request, number, "completed"),
        "output": _output(turn, number),
        "usage": {
            "input_tokens": usage.prompt,
            "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.cache_write},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.total,
        },
    }


def events(request: Request, turn: Turn, number: int) -> Iterator[Event]:
    for place, event in enumerate(_events(request, turn, number)):
        yield {**event, "sequence_number": place}


def closing() -> str:
    return ""


def _items(body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    said = body.get("input", ())
    return [{"role": "user", "content": said}] if isinstance(said, str) else said


def _offers(offered: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for tool in offered:
        if tool.get("type") == "namespace":
            yield from _offers(tool["tools"])
            continue
        yield tool.get("name") or tool["type"], tool["type"]


def _head(request: Request, number: int, status: str) -> Event:
    return {
        "id": f"resp_{number:08}",
        "object": "response",
        "created_at": int(request.at),
        "status": status,
        "model": request.body.get("model"),
        "output": [],
    }


def _output(turn: Turn, number: int) -> list[Event]:
    if turn.get("refusal"):
        return [_said(number, {"type": "refusal", "refusal": turn.get("text", "I cannot help with that.")})]
    said = [_said(number, {"type": "output_text", "text": turn["text"], "annotations": []})] if turn.get("text") else []
    return said + [_call(call, f"{number:08}_{place}") for place, call in enumerate(turn.get("tools", ()))]


def _said(number: int, part: Event) -> Event:
    return {
        "type": "message",
        "id": f"msg_{number:08}",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def _call(call: Mapping[str, Any], name: str) -> Event:
    common = {"call_id": f"call_{name}", "name": call["name"], "status": "completed"}
    if "namespace" in call:
        common["namespace"] = call["namespace"]
    if call.get("custom"):
        return {"type": "custom_tool_call", "id": f"ctc_{name}", "input": call["input"], **common}
    return {"type": "function_call", "id": f"fc_{name}", "arguments": json.dumps(call["input"]), **common}


def _events(request: Request, turn: Turn, number: int) -> Iterator[Event]:
    yield {"type": "response.created", "response": _head(request, number, "in_progress")}
    if "sse_error" in turn:
        failure = {"code": turn["sse_error"], "message": turn.get("error", "scripted")}
        yield {"type": "response.failed", "response": {**_head(request, number, "failed"), "error": failure}}
        return
    whole = message(request, turn, number)
    for place, item in enumerate(whole["output"]):
        yield {"type": "response.output_item.added", "output_index": place, "item": _begun(item)}
        kind, text = _content(item)
        for piece in halves(text):
            where = {"output_index": place, "item_id": item["id"], "content_index": 0}
            yield {"type": _DELTAS[kind], **where, "delta": piece}
        yield {"type": "response.output_item.done", "output_index": place, "item": item}
    yield {"type": "response.completed", "response": whole}


def _begun(item: Event) -> Event:
    """As the stream announces it: without its content."""
    if item["type"] == "message":
        return {**item, "status": "in_progress", "content": []}
    return {**item, "status": "in_progress", ("input" if "input" in item else "arguments"): ""}


def _content(item: Event) -> tuple[str, str]:
    """What the deltas of an item bring: its kind and its text."""
    if item["type"] == "message":
        part = item["content"][0]
        return part["type"], part.get("text") or part["refusal"]
    return item["type"], item.get("arguments") or item["input"]
