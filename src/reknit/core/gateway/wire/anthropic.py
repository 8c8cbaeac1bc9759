"""Anthropic's Messages API."""

import re
from collections.abc import Iterator

from reknit.core.gateway.metering import AnswerFacts, Tokens, count
from reknit.core.gateway.wire import shapes
from reknit.core.gateway.wire.anthropic_body import DROPPED, FIELDS
from reknit.core.gateway.wire.nodes import BUILT_IN_TOOL_TOKENS, Bulk, listed, objects, picture, whole
from reknit.core.text.json_body import Json

UPSTREAM = "https://api.anthropic.com"
PRICED = re.compile(r"POST /v1/messages")
FREE = re.compile(r"POST /v1/messages/count_tokens")
QUERIES = frozenset({"beta=true"})
SEARCH_USD = 0.01
REQUEST_HEADERS = frozenset({"accept", "anthropic-beta", "anthropic-version", "user-agent", "x-app"})
ANSWER_HEADERS = frozenset({"content-type", "request-id", "retry-after", "x-should-retry"})

# The agent runs these in its box. The vendor runs all others (fetch, code execution, remote MCP): a way out.
_CLIENT_TOOL = re.compile(r"custom|(bash|text_editor|computer|memory)_\d{8}")
_SEARCH_TOOL = re.compile(r"web_search_\d{8}")
_STANDARD = {"speed": "standard", "inference_geo": "global"}
"""Any other value costs more than the list price."""
# keeps every block by default; all other edits let the vendor drop or rewrite what was sent
_KEEPING_EDIT = re.compile(r"clear_thinking_\d{8}")
_DROPPING_EDIT = re.compile(r"clear_tool_uses_\d{8}")
_TOOL_INPUT = frozenset({"input"})

_LEAST_OUTPUT, _LEAST_THINKING = 1_024, 1_024
_STATUS_OF = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500,
    "timeout_error": 504, "overloaded_error": 529,
}  # fmt: skip


def credential(key: str) -> dict[str, str]:
    return {"x-api-key": key}


def model(path: str, content: Json) -> str:  # noqa: ARG001
    return str(content.get("model") or "")


def known(content: Json) -> Json:
    return shapes.known(content, FIELDS, DROPPED)


def refusal(content: Json, *, allow_search: bool) -> str:
    for name, value in _STANDARD.items():
        if content.get(name, value) not in (value, None):
            return f"not in the price list: {name} {content[name]}"
    return (
        _tool_refusal(content, allow_search=allow_search) or _edit_refusal(content) or shapes.refusal(content, FIELDS)
    )


def _tool_refusal(content: Json, *, allow_search: bool) -> str:
    tools = listed(content.get("tools"))
    if tools is None:
        return "the tools are not a list of objects"
    for tool in tools:
        kind = "custom" if tool.get("type") is None else str(tool["type"])
        if not _CLIENT_TOOL.fullmatch(kind) and not (allow_search and _SEARCH_TOOL.fullmatch(kind)):
            return f"tool run by the vendor not allowed: {kind}"
    return ""


def _edits(content: Json) -> list[Json] | None:
    management = content.get("context_management") or {}
    return listed(management.get("edits")) if isinstance(management, dict) else None


def _edit_refusal(content: Json) -> str:
    edits = _edits(content)
    if edits is None:
        return "the context management is not a list of edits"
    kinds = [str(edit.get("type")) for edit in edits]
    unknown = [kind for kind in kinds if not _KEEPING_EDIT.fullmatch(kind) and not _DROPPING_EDIT.fullmatch(kind)]
    return f"not allowed: context_management {unknown[0]}" if unknown else ""


def _blocks(content: Json) -> Iterator[Json]:
    return objects([content.get("messages"), content.get("system")], skip=_TOOL_INPUT)


def searches(content: Json) -> bool:
    return any(_SEARCH_TOOL.fullmatch(str(tool.get("type"))) for tool in listed(content.get("tools")) or ())


def bulks(content: Json) -> Iterator[Bulk]:
    for node in _blocks(content):
        if node.get("type") == "base64":
            yield picture(node.get("data"), node.get("media_type"))
    for tool in listed(content.get("tools")) or ():
        if tool.get("type") not in (None, "custom"):
            yield Bulk(str(tool["type"]), BUILT_IN_TOOL_TOKENS)


def may_shrink(content: Json) -> bool:
    return any(edit.get("keep") != "all" for edit in _edits(content) or ())


def asked_output(content: Json) -> int | None:
    return whole(content.get("max_tokens"), least=0)


def least_output(content: Json) -> int:
    return _LEAST_OUTPUT + (_LEAST_THINKING if _thinking(content) else 0)


def limited(content: Json, max_output: int, max_searches: int) -> Json:
    body = {**content, "max_tokens": max_output}
    budget, asked = _thinking(content), asked_output(content) or 0
    if max_output <= budget < asked:  # the vendor requires a thinking budget below the maximum output
        body["thinking"] = {**_thought(content), "budget_tokens": max_output - _LEAST_OUTPUT}
    if searches(content):
        body["tools"] = [_bounded(tool, max_searches) for tool in listed(content.get("tools")) or ()]
    return body


def _thought(content: Json) -> Json:
    thinking = content.get("thinking")
    return thinking if isinstance(thinking, dict) else {}


def _thinking(content: Json) -> int:
    return whole(_thought(content).get("budget_tokens")) or 0


def _bounded(tool: Json, max_searches: int) -> Json:
    if not _SEARCH_TOOL.fullmatch(str(tool.get("type"))):
        return tool
    asked = whole(tool.get("max_uses"))
    return {**tool, "max_uses": max_searches if asked is None else min(asked, max_searches)}


def read_event(event: Json) -> AnswerFacts:
    error, message, delta = event.get("error"), event.get("message"), event.get("delta")
    if isinstance(error, dict):
        return AnswerFacts(status=_STATUS_OF.get(str(error.get("type")), 0))
    usage = message.get("usage") if isinstance(message, dict) else event.get("usage")
    stop = delta.get("stop_reason") if isinstance(delta, dict) else event.get("stop_reason")
    return AnswerFacts(
        tokens=Tokens(
            input=count(usage, "input_tokens"),
            cache_write=count(usage, "cache_creation_input_tokens"),
            cache_write_short=count(usage, "cache_creation", "ephemeral_5m_input_tokens"),
            cached=count(usage, "cache_read_input_tokens"),
            output=count(usage, "output_tokens"),
            searches=count(usage, "server_tool_use", "web_search_requests"),
        ),
        final=event.get("type") in ("message", "message_delta") and isinstance(usage, dict),
        refused=stop == "refusal",
        announces=event.get("type") == "ping",
    )


def error(status: int, why: str) -> Json:
    kind = next((name for name, code in _STATUS_OF.items() if code == status), "api_error")
    return {"type": "error", "error": {"type": kind, "message": why}}
