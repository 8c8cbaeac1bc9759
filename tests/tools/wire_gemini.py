"""The Gemini generateContent wire format of the scripted model: one turn in, HTTP out."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.tools.wire import Event, Request, Turn, halves, usage_of

API = "gemini"

_PLACE = re.compile(r"/v1beta/models/([^/:]+):(streamGenerateContent|generateContent|countTokens)")
_STATUSES = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}  # fmt: skip


def serves(place: str) -> bool:
    return _PLACE.fullmatch(place) is not None


def count(place: str) -> Event | None:
    return {"totalTokens": 100} if place.endswith(":countTokens") else None


def tools(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for offer in body.get("tools") or ():
        for kind, content in offer.items():
            if kind != "functionDeclarations":
                yield kind, kind  # Google's own, such as googleSearch, have no other name
                continue
            for function in content:
                yield function["name"], kind


def user_texts(body: Mapping[str, Any]) -> Iterator[str]:
    for content in body.get("contents", ()):
        if content.get("role", "user") == "user":
            yield from (part["text"] for part in content.get("parts", ()) if "text" in part)


def streams(request: Request) -> bool:
    return "alt=sse" in request.path


def error(status: int, turn: Turn) -> Event:
    kind = turn.get("code", _STATUSES.get(status, "INTERNAL"))
    details = {"details": turn["details"]} if "details" in turn else {}
    return {"error": {"code": status, "message": turn.get("error", kind), "status": kind, **details}}


def message(request: Request, turn: Turn, number: int) -> Event | list[Event]:
    if request.place.endswith(":streamGenerateContent"):
        return list(events(request, turn, number))
    return _answer(request, turn, number, _parts(turn, number), finish=_finish(turn))


def events(request: Request, turn: Turn, number: int) -> Iterator[Event]:
    """Each part as it comes; every event counts the tokens so far, so only the last one is right."""
    if "sse_error" in turn:
        status = next((code for code, kind in _STATUSES.items() if kind == turn["sse_error"]), 500)
        yield error(status, {**turn, "code": turn["sse_error"]})
        return
    for part in _parts(turn, number):
        for piece in [{"text": text} for text in halves(part["text"])] if "text" in part else [part]:
            yield _answer(request, turn, number, [piece], finish="")
    yield _answer(request, turn, number, [], finish=_finish(turn))


def closing() -> str:
    return ""


def _finish(turn: Turn) -> str:
    return "SAFETY" if turn.get("refusal") else "STOP"


def _parts(turn: Turn, number: int) -> list[Event]:
    if turn.get("refusal"):
        return []
    said = [{"text": turn["text"]}] if turn.get("text") else []
    return said + [
        {"functionCall": {"id": f"call_{number:08}_{place}", "name": call["name"], "args": call["input"]}}
        for place, call in enumerate(turn.get("tools", ()))
    ]


def _answer(request: Request, turn: Turn, number: int, parts: list[Event], *, finish: str) -> Event:
    place = _PLACE.fullmatch(request.place)
    content = {} if turn.get("refusal") else {"content": {"role": "model", "parts": parts or [{"text": ""}]}}
    return {
        "candidates": [{**content, **({"finishReason": finish} if finish else {}), "index": 0}],
        "usageMetadata": _usage(turn, whole=bool(finish)),
        "modelVersion": place[1] if place else "",
        "responseId": f"response_{number:08}",
    }


def _usage(turn: Turn, *, whole: bool) -> Event:
    """Google counts cached tokens in the prompt, but leaves thoughts out of the candidates."""
    usage = usage_of(turn)
    read: Event = {"promptTokenCount": usage.prompt, "totalTokenCount": usage.total if whole else usage.prompt}
    if usage.cached:
        read["cachedContentTokenCount"] = usage.cached
    if not whole:
        return read
    thoughts = {"thoughtsTokenCount": usage.reasoning} if usage.reasoning else {}
    return {**read, "candidatesTokenCount": usage.output - usage.reasoning, **thoughts}
