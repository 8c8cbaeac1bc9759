"""The fields allowed in a request to OpenAI's Responses API."""

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
from reknit.core.text.json_body import Json


def _tools(value: object) -> str:
    """Tools, some of which contain tools."""
    return many(_TOOL)(value)


def _kind_of_tool(tool: Json) -> str:
    """All versions of web search are one kind."""
    kind = str(tool.get("type"))
    return "web_search" if kind.startswith("web_search") else kind


_NAMED: Fields = {"name": plain, "description": plain, "defer_loading": plain}
_TOOL = typed(
    {
        "function": {**_NAMED, "parameters": anything, "output_schema": anything, "strict": plain},
        "custom": {**_NAMED, "format": plain_fields("type", "syntax", "definition")},
        "local_shell": {},
        "apply_patch": {},
        "namespace": {**_NAMED, "tools": _tools},
        "tool_search": {"execution": plain, "description": plain, "parameters": anything},
        "web_search": {
            "search_context_size": plain,
            "external_web_access": plain,
            "search_content_types": plains,
            "filters": fields({"allowed_domains": plains, "blocked_domains": plains}),
            "user_location": plain_fields("type", "city", "region", "country", "timezone"),
        },
    },
    kind_of=_kind_of_tool,
)

_NOTE = plain_fields("type", "start_index", "end_index", "index", "url", "title", "filename")
_PARTS = many(
    typed(
        {
            "input_text": {"text": plain},
            "output_text": {"text": plain, "annotations": many(_NOTE), "logprobs": anything},
            "input_image": {"image_url": embedded, "detail": plain},
            "input_file": {"file_data": data, "filename": plain},
            "refusal": {"refusal": plain},
            "summary_text": {"text": plain},
            "reasoning_text": {"text": plain},
            "text": {"text": plain},
        }
    )
)
_MARKS: Fields = {"id": plain, "status": plain}
_CALL: Fields = {**_MARKS, "call_id": plain, "name": plain, "namespace": plain}
_OUTPUT: Fields = {**_CALL, "output": text_or(_PARTS)}
_SHELL = fields({**dict.fromkeys(("type", "timeout_ms", "user", "working_directory"), plain), "command": plains,
                 "env": anything})  # fmt: skip
_FOUND = fields(
    {
        **dict.fromkeys(("type", "query", "url", "pattern"), plain),
        "queries": plains,
        "sources": many(plain_fields("type", "url", "title")),
    }
)


def _kind_of_item(item: Json) -> object:
    """An item without a type is a message if it has a role; otherwise the vendor would look it up by its id."""
    return item.get("type") or ("message" if item.get("role") else None)


_ITEM = typed(
    {
        "message": {**_MARKS, "role": plain, "phase": plain, "content": text_or(_PARTS)},
        "reasoning": {**_MARKS, "summary": _PARTS, "content": _PARTS, "encrypted_content": plain},
        "function_call": {**_CALL, "arguments": plain},
        "function_call_output": _OUTPUT,
        "custom_tool_call": {**_CALL, "input": plain},
        "custom_tool_call_output": _OUTPUT,
        "local_shell_call": {**_CALL, "action": _SHELL},
        "local_shell_call_output": _OUTPUT,
        "apply_patch_call": {**_CALL, "operation": plain_fields("type", "path", "diff")},
        "apply_patch_call_output": _OUTPUT,
        "web_search_call": {**_MARKS, "action": _FOUND},
        "tool_search_call": {**_CALL, "execution": plain, "arguments": anything},
        "tool_search_output": {**_CALL, "execution": plain, "tools": _tools},
        "additional_tools": {**_MARKS, "role": plain, "tools": _tools},
        "compaction": {**_MARKS, "encrypted_content": plain},
        "compaction_summary": {**_MARKS, "encrypted_content": plain},
    },
    kind_of=_kind_of_item,
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
    "tools": _tools,
    "tool_choice": text_or(_CHOICE),
    "include": plains,
    "reasoning": plain_fields("effort", "summary", "generate_summary"),
    "text": fields({"verbosity": plain, "format": _FORMAT}),
    "stream_options": plain_fields("include_obfuscation"),
}  # fmt: skip

DROPPED = frozenset({"client_metadata", "metadata"})
"""What codex and other clients add for statistics: the response does not depend on it."""
