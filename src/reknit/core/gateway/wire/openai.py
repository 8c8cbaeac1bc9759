"""OpenAI's Responses API and its allowed fields."""

import re
from collections.abc import Iterator

from reknit.core.gateway.metering import AnswerFacts, Tokens, read_count
from reknit.core.gateway.wire import openai_content, shapes
from reknit.core.gateway.wire.shapes import (
    BUILT_IN_TOOL_TOKENS,
    Bulk,
    Fields,
    anything,
    data,
    embedded,
    fields,
    many,
    plain,
    plain_fields,
    plains,
    read_number,
    read_objects,
    text_or,
    typed,
    walk_objects,
)
from reknit.core.text.untrusted_input import Json


def _check_tools(value: object) -> str:
    """Check tools, some of which contain tools."""
    return many(_TOOL)(value)


def _find_tool_kind(tool: Json) -> str:
    """Return the kind of a tool; all versions of web search have one kind."""
    kind = str(tool.get("type"))
    return "web_search" if kind.startswith("web_search") else kind


_NAMED: Fields = {"name": plain, "description": plain, "defer_loading": plain}
_TOOL = typed(
    {
        "function": {**_NAMED, "parameters": anything, "output_schema": anything, "strict": plain},
        "custom": {**_NAMED, "format": plain_fields("type", "syntax", "definition")},
        "local_shell": {},
        "apply_patch": {},
        "namespace": {**_NAMED, "tools": _check_tools},
        "tool_search": {"execution": plain, "description": plain, "parameters": anything},
        "web_search": {
            "search_context_size": plain,
            "external_web_access": plain,
            "search_content_types": plains,
            "filters": fields({"allowed_domains": plains, "blocked_domains": plains}),
            "user_location": plain_fields("type", "city", "region", "country", "timezone"),
        },
    },
    kind_of=_find_tool_kind,
)

_ANNOTATION = plain_fields("type", "start_index", "end_index", "index", "url", "title", "filename")
_PARTS = many(
    typed(
        {
            "input_text": {"text": plain},
            "output_text": {"text": plain, "annotations": many(_ANNOTATION), "logprobs": anything},
            "input_image": {"image_url": embedded, "detail": plain},
            "input_file": {"file_data": data, "filename": plain},
            "refusal": {"refusal": plain},
            "summary_text": {"text": plain},
            "reasoning_text": {"text": plain},
            "text": {"text": plain},
        }
    )
)
_ITEM_FIELDS: Fields = {"id": plain, "status": plain}
_CALL: Fields = {**_ITEM_FIELDS, "call_id": plain, "name": plain, "namespace": plain}
_OUTPUT: Fields = {**_CALL, "output": text_or(_PARTS)}
_SHELL = fields({**dict.fromkeys(("type", "timeout_ms", "user", "working_directory"), plain), "command": plains,
                 "env": anything})  # fmt: skip
_SEARCH_ACTION = fields(
    {
        **dict.fromkeys(("type", "query", "url", "pattern"), plain),
        "queries": plains,
        "sources": many(plain_fields("type", "url", "title")),
    }
)


def _find_item_kind(item: Json) -> object:
    """Return the type. An item without one is a message if it has a role; otherwise the vendor would look up its id."""
    return item.get("type") or ("message" if item.get("role") else None)


_ITEM = typed(
    {
        "message": {**_ITEM_FIELDS, "role": plain, "phase": plain, "content": text_or(_PARTS)},
        "reasoning": {**_ITEM_FIELDS, "summary": _PARTS, "content": _PARTS, "encrypted_content": plain},
        "function_call": {**_CALL, "arguments": plain},
        "function_call_output": _OUTPUT,
        "custom_tool_call": {**_CALL, "input": plain},
        "custom_tool_call_output": _OUTPUT,
        "local_shell_call": {**_CALL, "action": _SHELL},
        "local_shell_call_output": _OUTPUT,
        "apply_patch_call": {**_CALL, "operation": plain_fields("type", "path", "diff")},
        "apply_patch_call_output": _OUTPUT,
        "web_search_call": {**_ITEM_FIELDS, "action": _SEARCH_ACTION},
        "tool_search_call": {**_CALL, "execution": plain, "arguments": anything},
        "tool_search_output": {**_CALL, "execution": plain, "tools": _check_tools},
        "additional_tools": {**_ITEM_FIELDS, "role": plain, "tools": _check_tools},
        "compaction": {**_ITEM_FIELDS, "encrypted_content": plain},
        "compaction_summary": {**_ITEM_FIELDS, "encrypted_content": plain},
    },
    kind_of=_find_item_kind,
)
_FORMAT = fields({**dict.fromkeys(("type", "name", "description", "strict"), plain), "schema": anything})
_CHOICE = fields({"type": plain, "name": plain, "mode": plain, "tools": many(plain_fields("type", "name"))})

FIELDS: Fields = {
    **dict.fromkeys(
        (
            "model", "instructions", "parallel_tool_calls", "stream", "store", "prompt_cache_key",
            "prompt_cache_retention", "service_tier", "max_output_tokens", "max_tool_calls", "temperature", "top_p",
            "top_logprobs", "truncation", "user", "safety_identifier",
        ),
        plain,
    ),
    "input": text_or(many(_ITEM)),
    "tools": _check_tools,
    "tool_choice": text_or(_CHOICE),
    "include": plains,
    "reasoning": plain_fields("effort", "summary", "generate_summary"),
    "text": fields({"verbosity": plain, "format": _FORMAT}),
    "stream_options": plain_fields("include_obfuscation"),
}  # fmt: skip

DROPPED = frozenset({"client_metadata", "metadata"})
"""Fields that codex and other clients add for statistics: the response does not depend on them."""


UPSTREAM = "https://api.openai.com"
PRICED = re.compile(r"POST /v1/responses")
FREE = re.compile(r"GET /v1/models")
QUERIES: frozenset[str] = frozenset()
SEARCH_USD = 0.025
REQUEST_HEADERS, ANSWER_HEADERS = openai_content.REQUEST_HEADERS, openai_content.ANSWER_HEADERS

# The agent runs these tools in its box, or they search the tools that it listed. The vendor runs all others.
_CLIENT_TOOLS = frozenset({"function", "custom", "local_shell", "apply_patch", "namespace", "tool_search"})
_SEARCH_TOOL = re.compile(r"web_search(_preview)?(_\d{4}_\d{2}_\d{2})?")
_SELF_DESCRIBED_TOOLS = frozenset({"function", "custom", "namespace"})
_SCHEMAS = frozenset({"parameters"})
_ANNOUNCEMENTS = frozenset({"response.created", "response.queued", "response.in_progress", "keepalive"})

to_credential_headers, read_model, to_error = (
    openai_content.to_credential_headers,
    openai_content.read_model,
    openai_content.to_error,
)


def drop_telemetry(content: Json) -> Json:
    """Remove telemetry and empty fields that are not allowed."""
    return shapes.drop_unlisted(content, FIELDS, DROPPED)


def find_refusal(content: Json, *, allow_search: bool) -> str:
    """Return why this body must not pass, or empty."""
    return (
        openai_content.find_vendor_refusal(content, allow_search=allow_search)
        or _find_tool_refusal(content, allow_search=allow_search)
        or shapes.find_refusal(content, FIELDS)
    )


def _find_tool_refusal(content: Json, *, allow_search: bool) -> str:
    for node in _walk_tool_holders(content):
        tools = read_objects(node.get("tools"))
        if tools is None:
            return "the tools are not a list of objects"
        for tool in tools:
            kind = str(tool.get("type"))
            if kind not in _CLIENT_TOOLS and not (allow_search and _SEARCH_TOOL.fullmatch(kind)):
                return f"tool run by the vendor not allowed: {kind}"
    return ""


def _walk_tool_holders(content: Json) -> Iterator[Json]:
    """Yield everything that may contain tools: the body, items of its input, and namespaces in both."""
    yield content
    for node in walk_objects([content.get("tools"), content.get("input")], skip=_SCHEMAS):
        if "tools" in node:
            yield node


def _walk_tools(content: Json) -> Iterator[Json]:
    for node in _walk_tool_holders(content):
        yield from read_objects(node.get("tools")) or ()


def searches(content: Json) -> bool:
    """Return True if the request lets the vendor search the web."""
    return any(_SEARCH_TOOL.fullmatch(str(tool.get("type"))) for tool in _walk_tools(content))


def list_bulks(content: Json) -> Iterator[Bulk]:
    """Yield the parts that may count as more tokens than bytes."""
    yield from openai_content.list_bulks(content.get("input"))
    for tool in _walk_tools(content):
        if tool.get("type") not in _SELF_DESCRIBED_TOOLS:
            yield Bulk(str(tool.get("type")), BUILT_IN_TOOL_TOKENS)


def may_shrink(content: Json) -> bool:
    """Return True if the vendor may count less than it was sent."""
    return content.get("truncation") == "auto"


def read_max_output(content: Json) -> int | None:
    """Return the requested maximum output in tokens; None if there is none."""
    return read_number(content.get("max_output_tokens"))


def find_least_output(content: Json) -> int:  # noqa: ARG001
    """Return the lowest useful maximum output in tokens."""
    return openai_content.LEAST_OUTPUT


def limit_output(content: Json, max_output: int, max_searches: int) -> Json:
    """Cap output and searches."""
    body = {**content, "max_output_tokens": max_output, "store": False}
    if searches(content):
        requested = read_number(content.get("max_tool_calls"))
        body["max_tool_calls"] = max_searches if requested is None else min(requested, max_searches)
    return body


def read_event(event: Json) -> AnswerFacts:
    """Read the facts of one event or of a whole body."""
    within = event.get("response")
    response = within if isinstance(within, dict) else event
    problem = response.get("error") or (event if event.get("type") == "error" else None)
    if isinstance(problem, dict):
        return openai_content.read_error(problem)
    usage, details = response.get("usage"), response.get("incomplete_details")
    cached, cache_writes = (
        read_count(usage, "input_tokens_details", name) for name in ("cached_tokens", "cache_write_tokens")
    )
    prompt = read_count(usage, "input_tokens")
    return AnswerFacts(
        tokens=Tokens(
            input=max(0, prompt - cached - cache_writes),
            cache_write=cache_writes,
            cached=cached,
            output=max(read_count(usage, "output_tokens"), read_count(usage, "total_tokens") - prompt),
            searches=sum(item.get("type") == "web_search_call" for item in read_objects(response.get("output")) or ()),
        ),
        final=isinstance(usage, dict),
        refused=(isinstance(details, dict) and details.get("reason") == "content_filter")
        or any(node.get("type") == "refusal" for node in walk_objects(response.get("output"))),
        announces=event.get("type") in _ANNOUNCEMENTS,
    )
