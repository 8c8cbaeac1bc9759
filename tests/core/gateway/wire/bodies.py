"""A body for each wire that uses every kind of object the wire allows, and where the agent's own data is in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reknit.core.gateway.access import ProviderName

OWN: Mapping[str, object] = {"anything": {"goes": [{"here": 1}]}}
"""What the vendor only hands to the model: a schema, or the arguments of a tool."""
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Body:
    content: Mapping[str, Any]
    own: frozenset[str]
    """Names below which any field may appear."""
    dropped: str
    """A field that is taken out on the way."""


_CACHE = {"type": "ephemeral", "ttl": "5m"}
_TEXT = {"type": "text", "text": "x", "cache_control": _CACHE}
_PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
_PLACE = {"type": "approximate", "city": "x", "country": "x"}

ANTHROPIC = Body(
    {
        "model": "m",
        "max_tokens": 100,
        "system": [_TEXT],
        "metadata": {"user_id": "u"},
        "thinking": {"type": "enabled", "budget_tokens": 10, "display": "updates"},
        "output_config": {"effort": "high", "format": {"type": "json_schema", "schema": OWN}},
        "context_management": {
            "edits": [
                {"type": "clear_thinking_20251015", "keep": "all"},
                {"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": 1}},
            ]
        },
        "tool_choice": {"type": "auto"},
        "tools": [
            {"name": "Bash", "description": "x", "input_schema": OWN, "cache_control": _CACHE},
            {"type": "bash_20250124", "name": "bash"},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 1, "user_location": _PLACE},
        ],
        "messages": [
            {"role": "system", "content": "x", "output_config": {"effort": "high"}},
            {
                "role": "user",
                "content": [
                    _TEXT,
                    _PICTURE,
                    {
                        "type": "document",
                        "source": {"type": "content", "content": [_PICTURE]},
                        "citations": {"enabled": True},
                    },
                    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
                    {"type": "tool_result", "tool_use_id": "t", "content": [_TEXT, _PICTURE], "is_error": False},
                    {"type": "search_result", "source": "x", "title": "x", "content": [_TEXT]},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "x", "signature": "x"},
                    {"type": "redacted_thinking", "data": "x"},
                    {"type": "text", "text": "x", "citations": [{"type": "char_location", "cited_text": "x"}]},
                    {"type": "tool_use", "id": "t", "name": "Bash", "input": OWN, "caller": {"type": "direct"}},
                    {"type": "server_tool_use", "id": "t", "name": "web_search", "input": OWN},
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "t",
                        "content": [{"type": "web_search_result", "url": "https://x", "encrypted_content": "x"}],
                    },
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "t",
                        "content": {"type": "web_search_tool_result_error", "error_code": "x"},
                    },
                    {"type": "tool_reference", "tool_name": "x"},
                    {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}},
                ],
            },
        ],
    },
    frozenset({"input", "input_schema", "schema"}),
    "diagnostics",
)

_FUNCTION = {"type": "function", "name": "f", "description": "x", "parameters": OWN, "strict": False}
_SPACE = {"type": "namespace", "name": "mcp__x", "tools": [_FUNCTION]}
_SAID = {"type": "input_text", "text": "x"}
OPENAI = Body(
    {
        "model": "m",
        "instructions": "x",
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "high", "summary": "auto"},
        "text": {"verbosity": "low", "format": {"type": "json_schema", "name": "x", "schema": OWN}},
        "stream_options": {"include_obfuscation": False},
        "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]},
        "tools": [
            _FUNCTION,
            _SPACE,
            {"type": "custom", "name": "x", "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
            {"type": "local_shell"},
            {"type": "apply_patch"},
            {"type": "tool_search", "execution": "client", "parameters": OWN},
            {"type": "web_search", "filters": {"allowed_domains": ["x"]}, "user_location": _PLACE},
        ],
        "input": [
            {"role": "user", "content": "x"},
            {
                "type": "message",
                "role": "assistant",
                "content": [
                    {
                        "type": "output_text",
                        "text": "x",
                        "annotations": [{"type": "url_citation", "url": "https://x"}],
                        "logprobs": OWN,
                    },
                    {"type": "refusal", "refusal": "x"},
                ],
            },
            {
                "type": "message",
                "role": "user",
                "content": [
                    _SAID,
                    {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "auto"},
                    {"type": "input_file", "file_data": "data:application/pdf;base64,aGk=", "filename": "x"},
                ],
            },
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "x"}],
                "content": [{"type": "reasoning_text", "text": "x"}],
                "encrypted_content": "x",
            },
            {"type": "function_call", "call_id": "c", "name": "f", "namespace": "n", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": [_SAID]},
            {"type": "custom_tool_call", "call_id": "c", "name": "x", "input": "x"},
            {"type": "custom_tool_call_output", "call_id": "c", "output": "x"},
            {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"], "env": OWN}},
            {"type": "local_shell_call_output", "call_id": "c", "output": "x"},
            {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "update_file", "path": "x"}},
            {"type": "apply_patch_call_output", "call_id": "c", "output": "x"},
            {"type": "web_search_call", "action": {"type": "search", "sources": [{"type": "url", "url": "https://x"}]}},
            {"type": "tool_search_call", "call_id": "c", "execution": "client", "arguments": OWN},
            {"type": "tool_search_output", "call_id": "c", "execution": "client", "tools": [_SPACE]},
            {"type": "additional_tools", "role": "developer", "tools": [_FUNCTION, _SPACE]},
            {"type": "compaction", "encrypted_content": "x"},
        ],
    },
    frozenset({"parameters", "schema", "arguments", "env", "logprobs"}),
    "client_metadata",
)

CHAT = Body(
    {
        "model": "m",
        "stream": True,
        "stop": ["x"],
        "stream_options": {"include_usage": True},
        "reasoning": {"effort": "high"},
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": OWN}},
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "web_search_options": {"user_location": {"type": "approximate", "approximate": {"city": "x"}}},
        "tools": [
            {"type": "function", "function": {"name": "f", "parameters": OWN}, "cache_control": _CACHE},
            {
                "type": "custom",
                "custom": {
                    "name": "x",
                    "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "x"}},
                },
            },
        ],
        "messages": [
            {"role": "system", "content": "x"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "x", "cache_control": _CACHE},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk=", "detail": "auto"}},
                    {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
                    {"type": "file", "file": {"file_data": "aGk=", "filename": "x"}},
                ],
            },
            {
                "role": "assistant",
                "content": [{"type": "refusal", "refusal": "x"}],
                "reasoning_content": "x",
                "function_call": {"name": "f", "arguments": "{}"},
                "tool_calls": [
                    {"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                    {"id": "t", "type": "custom", "custom": {"name": "x", "input": "x"}},
                ],
            },
            {"role": "tool", "tool_call_id": "t", "content": "x", "cache_control": _CACHE},
        ],
    },
    frozenset({"parameters", "schema"}),
    "metadata",
)

_GEMINI: Mapping[str, Any] = {
    "serviceTier": "standard",
    "systemInstruction": {"role": "user", "parts": [{"text": "x"}]},
    "generationConfig": {
        "temperature": 1,
        "maxOutputTokens": 10,
        "stopSequences": ["x"],
        "responseSchema": OWN,
        "thinkingConfig": {"thinkingBudget": 1, "include_thoughts": True},
    },
    "safetySettings": [{"category": "x", "threshold": "x"}],
    "toolConfig": {"functionCallingConfig": {"mode": "AUTO", "allowed_function_names": ["f"]}},
    "tools": [
        {"functionDeclarations": [{"name": "f", "parametersJsonSchema": OWN}, {"name": "g", "parameters": OWN}]},
        {"google_search": {"timeRangeFilter": {"startTime": "x", "endTime": "x"}}},
    ],
    "contents": [
        {
            "role": "user",
            "parts": [
                {"text": "x"},
                {"inline_data": {"mime_type": "image/png", "data": "aGk="}},
                {
                    "functionResponse": {
                        "id": "t",
                        "name": "f",
                        "response": OWN,
                        "parts": [{"inlineData": {"data": "x"}}],
                    }
                },
            ],
        },
        {
            "role": "model",
            "parts": [
                {"functionCall": {"id": "t", "name": "f", "args": OWN}, "thoughtSignature": "x", "thought": True}
            ],
        },
    ],
}
GEMINI = Body(
    _GEMINI,
    frozenset({"args", "response", "parameters", "parametersJsonSchema", "responseSchema"}),
    "labels",
)

BODIES: Mapping[ProviderName, Body] = {"anthropic": ANTHROPIC, "gemini": GEMINI, "openai": OPENAI, "openai_chat": CHAT}


def places(body: Body) -> Iterator[Path]:
    """Every value in it that is not the agent's own data."""
    yield from _below(body.content, (), body.own)


def _below(value: object, path: Path, own: frozenset[str]) -> Iterator[Path]:
    yield path
    if path and path[-1] in own and isinstance(value, dict):
        return
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from _below(member, (*path, name), own)


def value_at(content: object, path: Path) -> object:
    for name in path:
        content = content[name]  # type: ignore[index]
    return content


def changed(content: object, path: Path, value: object) -> Any:
    """A copy with this value at that place."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(content, list):
        return [changed(each, rest, value) if place == first else each for place, each in enumerate(content)]
    assert isinstance(content, dict)
    return {**content, first: changed(content.get(first), rest, value)}
