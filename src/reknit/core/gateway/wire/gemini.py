"""Google's Gemini API: its allowed fields by their camelCase names, and its messages."""

import re
from collections.abc import Iterator

from reknit.core.gateway.metering import AnswerFacts, Tokens, parse_span_s, read_count
from reknit.core.gateway.wire import shapes
from reknit.core.gateway.wire.shapes import (
    Bulk,
    Check,
    Fields,
    anything,
    data,
    many,
    plain,
    plains,
    read_number,
    read_objects,
    to_bulk,
    walk_objects,
)
from reknit.core.text.untrusted_input import Json


def to_camel(name: str) -> str:
    """Convert a name to camelCase: the API accepts snake_case too."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def _fields(allowed: Fields) -> Check:
    return shapes.fields(allowed, spelling=to_camel)


def _plain_fields(*names: str) -> Check:
    return _fields(dict.fromkeys(names, plain))


# A file given by its URI is not listed: the vendor would fetch it.
_INLINE = _fields({"mimeType": plain, "data": data, "displayName": plain})
_FUNCTION_RESPONSE = _fields(
    {
        **dict.fromkeys(("id", "name", "willContinue", "scheduling"), plain),
        "response": anything,
        "parts": many(_fields({"inlineData": _INLINE})),
    }
)
_PART = _fields(
    {
        "text": plain,
        "thought": plain,
        "thoughtSignature": plain,
        "inlineData": _INLINE,
        "functionCall": _fields({"id": plain, "name": plain, "args": anything}),
        "functionResponse": _FUNCTION_RESPONSE,
        "mediaResolution": _plain_fields("level", "numTokens"),
    }
)
_CONTENT = _fields({"role": plain, "parts": many(_PART)})
_FUNCTION = _fields(
    {
        "name": plain,
        "description": plain,
        "behavior": plain,
        "parameters": anything,
        "parametersJsonSchema": anything,
        "response": anything,
        "responseJsonSchema": anything,
    }
)
_SEARCH = _fields({"timeRangeFilter": _plain_fields("startTime", "endTime"), "excludeDomains": plains})
_CONFIG = _fields(
    {
        **dict.fromkeys(
            (
                "temperature", "topP", "topK", "candidateCount", "maxOutputTokens", "responseMimeType", "seed",
                "presencePenalty", "frequencyPenalty", "responseLogprobs", "logprobs", "mediaResolution",
            ),
            plain,
        ),
        "stopSequences": plains,
        "responseModalities": plains,
        "responseSchema": anything,
        "responseJsonSchema": anything,
        "thinkingConfig": _plain_fields("includeThoughts", "thinkingBudget", "thinkingLevel"),
    }
)  # fmt: skip

_REQUEST: Fields = {
    "model": plain,
    "serviceTier": plain,
    "contents": many(_CONTENT),
    "systemInstruction": _CONTENT,
    "tools": many(_fields({"functionDeclarations": many(_FUNCTION), "googleSearch": _SEARCH})),
    "toolConfig": _fields({"functionCallingConfig": _fields({"mode": plain, "allowedFunctionNames": plains})}),
    "safetySettings": many(_plain_fields("category", "threshold", "method")),
    "generationConfig": _CONFIG,
}
FIELDS: Fields = {**_REQUEST, "generateContentRequest": _fields(_REQUEST)}

DROPPED = frozenset({"labels"})
"""Fields that clients add for statistics: the response does not depend on them."""


UPSTREAM = "https://generativelanguage.googleapis.com"
PRICED = re.compile(r"POST /v1beta/models/[\w.-]+:(streamGenerateContent|generateContent)", re.ASCII)
FREE = re.compile(r"POST /v1beta/models/[\w.-]+:countTokens", re.ASCII)
QUERIES = frozenset({"alt=sse"})
SEARCH_USD = 0.035
REQUEST_HEADERS = frozenset({"accept", "user-agent", "x-goog-api-client"})
ANSWER_HEADERS = frozenset({"content-type", "retry-after"})

_CLIENT_TOOL, _SEARCH_TOOL = "functionDeclarations", "googleSearch"
_AGENT_DATA = frozenset({"args", "response"})
_REFUSAL_REASONS = frozenset({"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION"})
_LEAST_OUTPUT, _LEAST_THINKING = 1_024, 128
_UNAUTHORIZED = 401
_STATUS_WORDS = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


def to_credential_headers(key: str) -> dict[str, str]:
    """Return the header that authorizes a request with the key."""
    return {"x-goog-api-key": key}


def read_model(path: str, content: Json) -> str:  # noqa: ARG001
    """Return the name of the model; empty if the request has none."""
    return path.rpartition("/")[2].partition(":")[0]


def drop_telemetry(content: Json) -> Json:
    """Remove telemetry and empty fields that are not allowed."""
    return shapes.drop_unlisted(content, FIELDS, DROPPED, spelling=to_camel)


def find_refusal(content: Json, *, allow_search: bool) -> str:
    """Return why this body must not pass, or empty."""
    top = _to_camel_names(content)
    nested = top.get("generateContentRequest")
    if isinstance(nested, dict) and (why := find_refusal(nested, allow_search=allow_search)):
        return why
    if str(top.get("serviceTier") or "standard").lower() not in ("standard", "flex", "unspecified"):
        return f"not in the price list: serviceTier {top['serviceTier']}"
    return (
        _find_tool_refusal(top, allow_search=allow_search)
        or _find_config_refusal(top.get("generationConfig"))
        or shapes.find_refusal(content, FIELDS, spelling=to_camel)
    )


def _to_camel_names(node: Json) -> Json:
    """Convert the names at this level only to camelCase."""
    return {to_camel(name): value for name, value in node.items()}


def _find_tool_refusal(top: Json, *, allow_search: bool) -> str:
    tools = read_objects(top.get("tools"))
    if tools is None:
        return "the tools are not a list of objects"
    allowed = {_CLIENT_TOOL, _SEARCH_TOOL} if allow_search else {_CLIENT_TOOL}
    unknown = [name for tool in tools for name in _to_camel_names(tool) if name not in allowed]
    return f"tool run by the vendor not allowed: {unknown[0]}" if unknown else ""


def _find_config_refusal(config: object) -> str:
    if config is None:
        return ""
    if not isinstance(config, dict) or len(settings := _to_camel_names(config)) != len(config):
        return "generationConfig is not an object, or has a duplicate name"
    if settings.get("candidateCount") not in (None, 1):
        return "not allowed: candidateCount"
    kinds = settings.get("responseModalities") or []
    if not isinstance(kinds, list) or any(kind != "TEXT" for kind in kinds):
        return "not allowed: responseModalities"
    return ""


def _walk_parts(top: Json) -> Iterator[Json]:
    return walk_objects([top.get("contents"), top.get("systemInstruction")], skip=_AGENT_DATA)


def searches(content: Json) -> bool:
    """Return True if the request lets the vendor search the web."""
    return any(_SEARCH_TOOL in _to_camel_names(tool) for tool in read_objects(content.get("tools")) or ())


def list_bulks(content: Json) -> Iterator[Bulk]:
    """Yield the parts that may count as more tokens than bytes."""
    for node in _walk_parts(_to_camel_names(content)):
        inline = _to_camel_names(node).get("inlineData")
        if isinstance(inline, dict):
            yield to_bulk(inline.get("data"), _to_camel_names(inline).get("mimeType"))


def may_shrink(content: Json) -> bool:  # noqa: ARG001
    """Return True if the vendor may count less than it was sent."""
    return False


def _read_config(content: Json) -> Json:
    config = _to_camel_names(content).get("generationConfig")
    return _to_camel_names(config) if isinstance(config, dict) else {}


def read_max_output(content: Json) -> int | None:
    """Return the requested maximum output in tokens; None if there is none."""
    return read_number(_read_config(content).get("maxOutputTokens"))


def find_least_output(content: Json) -> int:  # noqa: ARG001
    """Return the lowest useful maximum output in tokens."""
    return _LEAST_OUTPUT


def limit_output(content: Json, max_output: int, max_searches: int) -> Json:  # noqa: ARG001
    """Cap output and searches."""
    config = {**_read_config(content), "maxOutputTokens": max_output}
    thinking = config.get("thinkingConfig")
    thinking_config = _to_camel_names(thinking) if isinstance(thinking, dict) else {}
    if (read_number(thinking_config.get("thinkingBudget")) or 0) >= max_output:  # nothing would be left for the answer
        config["thinkingConfig"] = {
            **thinking_config,
            "thinkingBudget": max(_LEAST_THINKING, max_output - _LEAST_OUTPUT),
        }
    return {**_to_camel_names(content), "generationConfig": config}


def read_event(event: Json) -> AnswerFacts:
    """Read the facts of one event or of a whole body."""
    error, usage, feedback = event.get("error"), event.get("usageMetadata"), event.get("promptFeedback")
    if isinstance(error, dict):
        return AnswerFacts(status=_read_status(error), wait_s=_read_wait_s(error))
    candidates = read_objects(event.get("candidates")) or ()
    ends = [str(candidate["finishReason"]) for candidate in candidates if candidate.get("finishReason")]
    blocked = isinstance(feedback, dict) and bool(feedback.get("blockReason"))
    cached = read_count(usage, "cachedContentTokenCount")
    return AnswerFacts(
        tokens=Tokens(
            input=max(0, read_count(usage, "promptTokenCount") + read_count(usage, "toolUsePromptTokenCount") - cached),
            cached=cached,
            output=read_count(usage, "candidatesTokenCount") + read_count(usage, "thoughtsTokenCount"),
            searches=sum(_count_queries(candidate) for candidate in candidates),
        ),
        final=isinstance(usage, dict) and (bool(ends) or blocked),
        refused=blocked or any(end in _REFUSAL_REASONS for end in ends),
    )


def _count_queries(candidate: Json) -> int:
    grounding = candidate.get("groundingMetadata")
    queries = grounding.get("webSearchQueries") if isinstance(grounding, dict) else None
    return len(queries) if isinstance(queries, list) else 0


def _read_status(error: Json) -> int:
    """Read the status. An unknown key is reported as 400; only a typed detail distinguishes it from a bad request."""
    reasons = [detail.get("reason") for detail in read_objects(error.get("details")) or ()]
    return _UNAUTHORIZED if "API_KEY_INVALID" in reasons else read_count(error, "code")


def _read_wait_s(error: Json) -> float | None:
    spans = [parse_span_s(detail.get("retryDelay")) for detail in read_objects(error.get("details")) or ()]
    return max((span for span in spans if span is not None), default=None)


def to_error(status: int, why: str) -> Json:
    """Return an error in the vendor's own format."""
    return {"error": {"code": status, "message": why, "status": _STATUS_WORDS.get(status, "INTERNAL")}}
