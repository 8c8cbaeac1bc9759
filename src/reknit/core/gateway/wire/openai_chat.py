"""OpenAI's Chat Completions API, which many other services implement too, and its allowed fields."""

import re
from collections.abc import Iterator

from reknit.core.gateway.metering import AnswerFacts, Tokens, read_count
from reknit.core.gateway.wire import openai_content, shapes
from reknit.core.gateway.wire.shapes import (
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
)
from reknit.core.text.untrusted_input import Json

_CACHE = plain_fields("type", "ttl")
_PARTS = many(
    typed(
        {
            "text": {"text": plain, "cache_control": _CACHE},
            "refusal": {"refusal": plain},
            "image_url": {"image_url": fields({"url": embedded, "detail": plain}), "cache_control": _CACHE},
            "input_audio": {"input_audio": fields({"data": data, "format": plain})},
            "file": {"file": fields({"file_data": data, "filename": plain})},
        }
    )
)
_CALL = fields(
    {
        "id": plain,
        "type": plain,
        "index": plain,
        "function": plain_fields("name", "arguments"),
        "custom": plain_fields("name", "input"),
    }
)
_MESSAGE = fields(
    {
        **dict.fromkeys(
            ("role", "name", "tool_call_id", "refusal", "reasoning", "reasoning_content", "reasoning_text"), plain
        ),
        "content": text_or(_PARTS),
        "tool_calls": many(_CALL),
        "function_call": plain_fields("name", "arguments"),
        "cache_control": _CACHE,
    }
)
_GRAMMAR = fields({"type": plain, "grammar": plain_fields("syntax", "definition")})
_FUNCTION = fields({"name": plain, "description": plain, "parameters": anything, "strict": plain})
_TOOL = typed(
    {
        "function": {"function": _FUNCTION, "cache_control": _CACHE},
        "custom": {"custom": fields({"name": plain, "description": plain, "format": _GRAMMAR})},
    }
)
_NAMED = plain_fields("name")
_CHOICE = fields({"type": plain, "function": _NAMED, "custom": _NAMED})
_FORMAT = fields(
    {
        "type": plain,
        "json_schema": fields({"name": plain, "description": plain, "strict": plain, "schema": anything}),
    }
)
_PLACE = plain_fields("city", "region", "country", "timezone")
SEARCH_FIELD = "web_search_options"

# Many services implement this API, each with its own fields that fetch, store, route or charge.
FIELDS: Fields = {
    **dict.fromkeys(
        (
            "model", "parallel_tool_calls", "stream", "max_tokens", "max_completion_tokens", "temperature", "top_p",
            "seed", "n", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs", "reasoning_effort",
            "verbosity", "user", "prompt_cache_key", "safety_identifier", "store", "service_tier",
        ),
        plain,
    ),
    "messages": many(_MESSAGE),
    "tools": many(_TOOL),
    "tool_choice": text_or(_CHOICE),
    "stream_options": plain_fields("include_usage", "include_obfuscation"),
    "stop": plains,
    "modalities": plains,
    "response_format": _FORMAT,
    "reasoning": plain_fields("effort", "max_tokens", "exclude", "enabled", "summary"),
    SEARCH_FIELD: fields(
        {"search_context_size": plain, "user_location": fields({"type": plain, "approximate": _PLACE})}
    ),
}  # fmt: skip

DROPPED = frozenset({"metadata"})
"""Fields that clients add for statistics: the response does not depend on them."""


UPSTREAM = "https://api.openai.com"
PRICED = re.compile(r"POST /v1/chat/completions")
FREE = re.compile(r"GET /v1/models")
QUERIES: frozenset[str] = frozenset()
SEARCH_USD = 0.035
REQUEST_HEADERS, ANSWER_HEADERS = openai_content.REQUEST_HEADERS, openai_content.ANSWER_HEADERS

_CLIENT_TOOLS = frozenset({"function", "custom"})
_OUTPUT_FIELDS = ("max_completion_tokens", "max_tokens")

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
    if content.get("n") not in (None, 1):
        return "not allowed: n"
    if content.get("modalities") not in (None, [], ["text"]):
        return "not allowed: modalities"
    if not allow_search and searches(content):
        return f"tool run by the vendor not allowed: {SEARCH_FIELD}"
    return (
        openai_content.find_vendor_refusal(content, allow_search=allow_search)
        or _find_tool_refusal(content)
        or shapes.find_refusal(content, FIELDS)
    )


def _find_tool_refusal(content: Json) -> str:
    tools = read_objects(content.get("tools"))
    if tools is None:
        return "the tools are not a list of objects"
    kinds = [str(tool.get("type")) for tool in tools]
    return next((f"tool run by the vendor not allowed: {kind}" for kind in kinds if kind not in _CLIENT_TOOLS), "")


def searches(content: Json) -> bool:
    """Return True if the request lets the vendor search the web."""
    return content.get(SEARCH_FIELD) is not None


def list_bulks(content: Json) -> Iterator[Bulk]:
    """Yield the parts that may count as more tokens than bytes."""
    return openai_content.list_bulks(content.get("messages"))


def may_shrink(content: Json) -> bool:  # noqa: ARG001
    """Return True if the vendor may count less than it was sent."""
    return False


def read_max_output(content: Json) -> int | None:
    """Return the requested maximum output in tokens; None if there is none."""
    limits = [read_number(content.get(name)) for name in _OUTPUT_FIELDS if name in content]
    return None if None in limits else min((limit for limit in limits if limit is not None), default=None)


def find_least_output(content: Json) -> int:  # noqa: ARG001
    """Return the lowest useful maximum output in tokens."""
    return openai_content.LEAST_OUTPUT


def limit_output(content: Json, max_output: int, max_searches: int) -> Json:  # noqa: ARG001
    """Cap output and searches."""
    names = [name for name in _OUTPUT_FIELDS if name in content] or [_OUTPUT_FIELDS[0]]
    body = {**content, **dict.fromkeys(names, max_output)}
    if content.get("stream"):
        options = content.get("stream_options")
        body["stream_options"] = {**(options if isinstance(options, dict) else {}), "include_usage": True}
    if "store" in content:  # not every service supports it
        body["store"] = False
    return body


def read_event(event: Json) -> AnswerFacts:
    """Read the facts of one event or of a whole body."""
    if isinstance(problem := event.get("error"), dict):
        return openai_content.read_error(problem)
    choices, usage = read_objects(event.get("choices")) or [], event.get("usage")
    ends = [choice.get("finish_reason") for choice in choices]
    cached, cache_writes = (
        read_count(usage, "prompt_tokens_details", name) for name in ("cached_tokens", "cache_write_tokens")
    )
    prompt = read_count(usage, "prompt_tokens")
    return AnswerFacts(
        tokens=Tokens(
            input=max(0, prompt - cached - cache_writes),
            cache_write=cache_writes,
            cached=cached,
            output=max(read_count(usage, "completion_tokens"), read_count(usage, "total_tokens") - prompt),
            searches=int(isinstance(usage, dict)),  # not reported: assume one per response
        ),
        final=isinstance(usage, dict) and all(ends),
        refused="content_filter" in ends or any(_has_refusal(choice) for choice in choices),
    )


def _has_refusal(choice: Json) -> bool:
    message = choice.get("delta") or choice.get("message")
    return isinstance(message, dict) and bool(message.get("refusal"))
