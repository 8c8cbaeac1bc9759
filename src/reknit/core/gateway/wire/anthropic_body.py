"""The fields allowed in a request to Anthropic's Messages API."""

from reknit.core.gateway.wire.shapes import (
    Fields,
    anything,
    data,
    fields,
    many,
    plain,
    plain_fields,
    plains,
    text_or,
    typed,
)

_CACHE = plain_fields("type", "ttl", "scope")
_EFFORT = fields(
    {
        "effort": plain,
        "format": fields({"type": plain, "schema": anything}),
        "task_budget": plain_fields("type", "total", "remaining"),
    }
)
_CITATION = plain_fields(
    "type", "cited_text", "title", "source", "url", "encrypted_index", "search_result_index", "document_index",
    "document_title", "start_char_index", "end_char_index", "start_page_number", "end_page_number",
    "start_block_index", "end_block_index",
)  # fmt: skip


def _check_blocks(value: object) -> str:
    """Check a text, or blocks, which may contain blocks."""
    return text_or(many(_BLOCK))(value)


def _check_citations(value: object) -> str:
    """Check the switch for citations of a document, or the citations of a text."""
    return many(_CITATION)(value) if isinstance(value, list) else plain_fields("enabled")(value)


# Sources that the vendor would fetch from a URL or from its own storage are not listed: they are a way out.
_SOURCE = typed(
    {
        "base64": {"media_type": plain, "data": data},
        "text": {"media_type": plain, "data": plain},
        "content": {"content": _check_blocks},
    }
)
_CALLER = plain_fields("type", "tool_id")
_CALL: Fields = {"id": plain, "name": plain, "input": anything, "caller": _CALLER, "cache_control": _CACHE}
_RESULT: Fields = {"tool_use_id": plain, "is_error": plain, "caller": _CALLER, "cache_control": _CACHE}
_SEARCH_RESULT = plain_fields("type", "url", "title", "encrypted_content", "page_age", "error_code")
_MODEL = plain_fields("model")
_BLOCK = typed(
    {
        "text": {"text": plain, "citations": _check_citations, "cache_control": _CACHE},
        "image": {"source": _SOURCE, "cache_control": _CACHE},
        "document": {
            "source": _SOURCE, "title": plain, "context": plain, "citations": _check_citations, "cache_control": _CACHE,
        },
        "search_result": {
            "source": plain, "title": plain, "content": _check_blocks, "citations": _check_citations,
            "cache_control": _CACHE,
        },
        "thinking": {"thinking": plain, "signature": plain},
        "redacted_thinking": {"data": plain},
        "tool_use": _CALL,
        "tool_result": {**_RESULT, "content": _check_blocks},
        "tool_reference": {"tool_name": plain, "cache_control": _CACHE},
        "server_tool_use": _CALL,
        "web_search_tool_result": {
            **_RESULT,
            "content": lambda value: many(_SEARCH_RESULT)(value) if isinstance(value, list) else _SEARCH_RESULT(value),
        },
        "fallback": {"from": _MODEL, "to": _MODEL},
    }
)  # fmt: skip

_AMOUNT = plain_fields("type", "value")
_EDIT = fields(
    {
        "type": plain,
        "keep": lambda value: plain(value) and _AMOUNT(value),
        "trigger": _AMOUNT,
        "clear_at_least": _AMOUNT,
        "exclude_tools": plains,
        "clear_tool_inputs": plains,
    }
)
_TOOL = fields(
    {
        **dict.fromkeys(
            (
                "type", "name", "description", "strict", "eager_input_streaming", "defer_loading", "display_width_px",
                "display_height_px", "display_number", "enable_zoom", "max_characters", "max_uses",
            ),
            plain,
        ),
        "input_schema": anything,
        "input_examples": anything,
        "cache_control": _CACHE,
        "allowed_domains": plains,
        "blocked_domains": plains,
        "user_location": plain_fields("type", "city", "region", "country", "timezone"),
    }
)  # fmt: skip

FIELDS: Fields = {
    **dict.fromkeys(
        (
            "model", "max_tokens", "stream", "temperature", "top_k", "top_p", "service_tier", "speed", "inference_geo",
        ),
        plain,
    ),
    "messages": many(fields({"role": plain, "content": _check_blocks, "output_config": _EFFORT})),
    "system": _check_blocks,
    "tools": many(_TOOL),
    "tool_choice": plain_fields("type", "name", "disable_parallel_tool_use"),
    "stop_sequences": plains,
    "thinking": plain_fields("type", "budget_tokens", "display"),
    "metadata": plain_fields("user_id"),
    "output_config": _EFFORT,
    "output_format": fields({"type": plain, "schema": anything}),
    "context_management": fields({"edits": many(_EDIT)}),
    "cache_control": _CACHE,
}  # fmt: skip

DROPPED = frozenset({"diagnostics", "context_hint", "fallback_credit_token"})
"""Fields that Claude Code adds for its own telemetry and billing: the response does not depend on them."""
