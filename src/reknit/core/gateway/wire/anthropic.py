"""Anthropic's Messages API."""

import re
from collections.abc import Iterator

from reknit.core.gateway.metering import AnswerFacts, Tokens, read_count
from reknit.core.gateway.wire import shapes
from reknit.core.gateway.wire.anthropic_body import DROPPED, FIELDS
from reknit.core.gateway.wire.shapes import BUILT_IN_TOOL_TOKENS, Bulk, read_number, read_objects, to_bulk, walk_objects
from reknit.core.text.untrusted_input import Json

UPSTREAM = "https://api.anthropic.com"
PRICED = re.compile(r"POST /v1/messages")
FREE = re.compile(r"POST /v1/messages/count_tokens")
QUERIES = frozenset({"beta=true"})
SEARCH_USD = 0.01
REQUEST_HEADERS = frozenset({"accept", "anthropic-beta", "anthropic-version", "user-agent", "x-app"})
ANSWER_HEADERS = frozenset({"content-type", "request-id", "retry-after", "x-should-retry"})

# The agent runs these tools in its box. The vendor runs all others, such as fetch or remote MCP: a way out.
_CLIENT_TOOL = re.compile(r"custom|(bash|text_editor|computer|memory)_\d{8}")
_SEARCH_TOOL = re.compile(r"web_search_\d{8}")
_LIST_PRICE_OPTIONS = {"speed": "standard", "inference_geo": "global"}
"""Any other value costs more than the list price."""
# This edit keeps every block by default. All others let the vendor drop or rewrite parts of the body.
_KEEPING_EDIT = re.compile(r"clear_thinking_\d{8}")
_DROPPING_EDIT = re.compile(r"clear_tool_uses_\d{8}")
_TOOL_INPUT = frozenset({"input"})

_LEAST_OUTPUT, _LEAST_THINKING = 1_024, 1_024
_STATUS_OF = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500,
    "timeout_error": 504, "overloaded_error": 529,
}  # fmt: skip


def to_credential_headers(key: str) -> dict[str, str]:
    """Return the header that authorizes a request with the key."""
    return {"x-api-key": key}


def read_model(path: str, content: Json) -> str:  # noqa: ARG001
    """Return the name of the model; empty if the request has none."""
    return str(content.get("model") or "")


def drop_telemetry(content: Json) -> Json:
    """Remove telemetry and empty fields that are not allowed."""
    return shapes.drop_unlisted(content, FIELDS, DROPPED)


def find_refusal(content: Json, *, allow_search: bool) -> str:
    """Return why this body must not pass, or empty."""
    for name, value in _LIST_PRICE_OPTIONS.items():
        if content.get(name, value) not in (value, None):
            return f"not in the price list: {name} {content[name]}"
    return (
        _find_tool_refusal(content, allow_search=allow_search)
        or _find_edit_refusal(content)
        or shapes.find_refusal(content, FIELDS)
    )


def _find_tool_refusal(content: Json, *, allow_search: bool) -> str:
    tools = read_objects(content.get("tools"))
    if tools is None:
        return "the tools are not a list of objects"
    for tool in tools:
        kind = "custom" if tool.get("type") is None else str(tool["type"])
        if not _CLIENT_TOOL.fullmatch(kind) and not (allow_search and _SEARCH_TOOL.fullmatch(kind)):
            return f"tool run by the vendor not allowed: {kind}"
    return ""


def _read_edits(content: Json) -> list[Json] | None:
    management = content.get("context_management") or {}
    return read_objects(management.get("edits")) if isinstance(management, dict) else None


def _find_edit_refusal(content: Json) -> str:
    edits = _read_edits(content)
    if edits is None:
        return "the context management is not a list of edits"
    kinds = [str(edit.get("type")) for edit in edits]
    unknown = [kind for kind in kinds if not _KEEPING_EDIT.fullmatch(kind) and not _DROPPING_EDIT.fullmatch(kind)]
    return f"not allowed: context_management {unknown[0]}" if unknown else ""


def searches(content: Json) -> bool:
    """Return True if the request lets the vendor search the web."""
    return any(_SEARCH_TOOL.fullmatch(str(tool.get("type"))) for tool in read_objects(content.get("tools")) or ())


def list_bulks(content: Json) -> Iterator[Bulk]:
    """Yield the parts that may count as more tokens than bytes."""
    for node in walk_objects([content.get("messages"), content.get("system")], skip=_TOOL_INPUT):
        if node.get("type") == "base64":
            yield to_bulk(node.get("data"), node.get("media_type"))
    for tool in read_objects(content.get("tools")) or ():
        if tool.get("type") not in (None, "custom"):
            yield Bulk(str(tool["type"]), BUILT_IN_TOOL_TOKENS)


def may_shrink(content: Json) -> bool:
    """Return True if the vendor may count less than it was sent."""
    return any(edit.get("keep") != "all" for edit in _read_edits(content) or ())


def read_max_output(content: Json) -> int | None:
    """Return the requested maximum output in tokens; None if there is none."""
    return read_number(content.get("max_tokens"), least=0)


def find_least_output(content: Json) -> int:
    """Return the lowest useful maximum output in tokens."""
    return _LEAST_OUTPUT + (_LEAST_THINKING if _read_thinking_budget(content) else 0)


def limit_output(content: Json, max_output: int, max_searches: int) -> Json:
    """Cap output and searches."""
    body = {**content, "max_tokens": max_output}
    budget, requested = _read_thinking_budget(content), read_max_output(content) or 0
    if max_output <= budget < requested:  # the vendor requires a thinking budget below the maximum output
        body["thinking"] = {**_read_thinking(content), "budget_tokens": max_output - _LEAST_OUTPUT}
    if searches(content):
        body["tools"] = [_limit_searches(tool, max_searches) for tool in read_objects(content.get("tools")) or ()]
    return body


def _read_thinking(content: Json) -> Json:
    thinking = content.get("thinking")
    return thinking if isinstance(thinking, dict) else {}


def _read_thinking_budget(content: Json) -> int:
    return read_number(_read_thinking(content).get("budget_tokens")) or 0


def _limit_searches(tool: Json, max_searches: int) -> Json:
    if not _SEARCH_TOOL.fullmatch(str(tool.get("type"))):
        return tool
    requested = read_number(tool.get("max_uses"))
    return {**tool, "max_uses": max_searches if requested is None else min(requested, max_searches)}


def read_event(event: Json) -> AnswerFacts:
    """Read the facts of one event or of a whole body."""
    error, message, delta = event.get("error"), event.get("message"), event.get("delta")
    if isinstance(error, dict):
        return AnswerFacts(status=_STATUS_OF.get(str(error.get("type")), 0))
    usage = message.get("usage") if isinstance(message, dict) else event.get("usage")
    stop = delta.get("stop_reason") if isinstance(delta, dict) else event.get("stop_reason")
    return AnswerFacts(
        tokens=Tokens(
            input=read_count(usage, "input_tokens"),
            cache_write=read_count(usage, "cache_creation_input_tokens"),
            cache_write_short=read_count(usage, "cache_creation", "ephemeral_5m_input_tokens"),
            cached=read_count(usage, "cache_read_input_tokens"),
            output=read_count(usage, "output_tokens"),
            searches=read_count(usage, "server_tool_use", "web_search_requests"),
        ),
        final=event.get("type") in ("message", "message_delta") and isinstance(usage, dict),
        refused=stop == "refusal",
        announces=event.get("type") == "ping",
    )


def to_error(status: int, why: str) -> Json:
    """Return an error in the vendor's own format."""
    kind = next((name for name, code in _STATUS_OF.items() if code == status), "api_error")
    return {"type": "error", "error": {"type": kind, "message": why}}
