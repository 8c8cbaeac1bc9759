"""The fields allowed in a request to the Chat Completions API."""

from reknit.core.gateway.wire.shapes import (
    Fields,
    anything,
    data,
    embedded,
    fields,
    many,
    plain,
    plain_fields,
    plains,
    text_or,
    typed,
)

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
"""What clients add for statistics: the response does not depend on it."""
