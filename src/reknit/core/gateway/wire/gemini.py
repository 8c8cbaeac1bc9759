"""Google's Gemini API. It accepts names in camelCase and in snake_case, so both are checked here."""

import re
from collections.abc import Iterator

from reknit.core.gateway.metering import AnswerFacts, Tokens, count
from reknit.core.gateway.retry_after import span_s
from reknit.core.gateway.wire import shapes
from reknit.core.gateway.wire.gemini_body import DROPPED, FIELDS, camel
from reknit.core.gateway.wire.nodes import Bulk, listed, objects, picture, whole
from reknit.core.text.json_body import Json

UPSTREAM = "https://generativelanguage.googleapis.com"
PRICED = re.compile(r"POST /v1beta/models/[\w.-]+:(streamGenerateContent|generateContent)", re.ASCII)
FREE = re.compile(r"POST /v1beta/models/[\w.-]+:countTokens", re.ASCII)
QUERIES = frozenset({"alt=sse"})
SEARCH_USD = 0.035
REQUEST_HEADERS = frozenset({"accept", "user-agent", "x-goog-api-client"})
ANSWER_HEADERS = frozenset({"content-type", "retry-after"})

_CLIENT_TOOL, _SEARCH_TOOL = "functionDeclarations", "googleSearch"
_AGENTS_OWN = frozenset({"args", "response"})
_REFUSED = frozenset({"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION"})
_LEAST_OUTPUT, _LEAST_THINKING = 1_024, 128
_UNAUTHORIZED = 401
_STATUS_WORDS = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


def credential(key: str) -> dict[str, str]:
    return {"x-goog-api-key": key}


def model(path: str, content: Json) -> str:  # noqa: ARG001
    return path.rpartition("/")[2].partition(":")[0]


def known(content: Json) -> Json:
    return shapes.known(content, FIELDS, DROPPED, spelling=camel)


def refusal(content: Json, *, allow_search: bool) -> str:
    top = _camel(content)
    nested = top.get("generateContentRequest")
    if isinstance(nested, dict) and (why := refusal(nested, allow_search=allow_search)):
        return why
    if str(top.get("serviceTier") or "standard").lower() not in ("standard", "flex", "unspecified"):
        return f"not in the price list: serviceTier {top['serviceTier']}"
    return (
        _tool_refusal(top, allow_search=allow_search)
        or _config_refusal(top.get("generationConfig"))
        or shapes.refusal(content, FIELDS, spelling=camel)
    )


def _camel(node: Json) -> Json:
    """Converts the names at this level only to camelCase."""
    return {camel(name): value for name, value in node.items()}


def _tool_refusal(top: Json, *, allow_search: bool) -> str:
    tools = listed(top.get("tools"))
    if tools is None:
        return "the tools are not a list of objects"
    allowed = {_CLIENT_TOOL, _SEARCH_TOOL} if allow_search else {_CLIENT_TOOL}
    unknown = [name for tool in tools for name in _camel(tool) if name not in allowed]
    return f"tool run by the vendor not allowed: {unknown[0]}" if unknown else ""


def _config_refusal(config: object) -> str:
    if config is None:
        return ""
    if not isinstance(config, dict) or len(named := _camel(config)) != len(config):
        return "generationConfig is not an object, or has a duplicate name"
    if named.get("candidateCount") not in (None, 1):
        return "not allowed: candidateCount"
    kinds = named.get("responseModalities") or []
    if not isinstance(kinds, list) or any(kind != "TEXT" for kind in kinds):
        return "not allowed: responseModalities"
    return ""


def _parts(top: Json) -> Iterator[Json]:
    return objects([top.get("contents"), top.get("systemInstruction")], skip=_AGENTS_OWN)


def searches(content: Json) -> bool:
    return any(_SEARCH_TOOL in _camel(tool) for tool in listed(content.get("tools")) or ())


def bulks(content: Json) -> Iterator[Bulk]:
    for node in _parts(_camel(content)):
        data = _camel(node).get("inlineData")
        if isinstance(data, dict):
            yield picture(data.get("data"), _camel(data).get("mimeType"))


def may_shrink(content: Json) -> bool:  # noqa: ARG001
    return False


def _config(content: Json) -> Json:
    config = _camel(content).get("generationConfig")
    return _camel(config) if isinstance(config, dict) else {}


def asked_output(content: Json) -> int | None:
    return whole(_config(content).get("maxOutputTokens"))


def least_output(content: Json) -> int:  # noqa: ARG001
    return _LEAST_OUTPUT


def limited(content: Json, max_output: int, max_searches: int) -> Json:  # noqa: ARG001
    config = {**_config(content), "maxOutputTokens": max_output}
    thinking = config.get("thinkingConfig")
    named = _camel(thinking) if isinstance(thinking, dict) else {}
    if (whole(named.get("thinkingBudget")) or 0) >= max_output:  # nothing would be left for the answer
        config["thinkingConfig"] = {**named, "thinkingBudget": max(_LEAST_THINKING, max_output - _LEAST_OUTPUT)}
    return {**_camel(content), "generationConfig": config}


def read_event(event: Json) -> AnswerFacts:
    error, usage, feedback = event.get("error"), event.get("usageMetadata"), event.get("promptFeedback")
    if isinstance(error, dict):
        return AnswerFacts(status=_status(error), wait_s=_wait_s(error))
    ends = [str(each["finishReason"]) for each in listed(event.get("candidates")) or () if each.get("finishReason")]
    blocked = isinstance(feedback, dict) and bool(feedback.get("blockReason"))
    cached = count(usage, "cachedContentTokenCount")
    return AnswerFacts(
        tokens=Tokens(
            input=max(0, count(usage, "promptTokenCount") + count(usage, "toolUsePromptTokenCount") - cached),
            cached=cached,
            output=count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount"),
            searches=sum(_queries(each) for each in listed(event.get("candidates")) or ()),
        ),
        final=isinstance(usage, dict) and (bool(ends) or blocked),
        refused=blocked or any(end in _REFUSED for end in ends),
    )


def _queries(candidate: Json) -> int:
    grounding = candidate.get("groundingMetadata")
    queries = grounding.get("webSearchQueries") if isinstance(grounding, dict) else None
    return len(queries) if isinstance(queries, list) else 0


def _status(error: Json) -> int:
    """An unknown key is reported as 400, and only a typed detail distinguishes it from a bad request."""
    reasons = [detail.get("reason") for detail in listed(error.get("details")) or ()]
    return _UNAUTHORIZED if "API_KEY_INVALID" in reasons else count(error, "code")


def _wait_s(error: Json) -> float | None:
    spans = [span_s(detail.get("retryDelay")) for detail in listed(error.get("details")) or ()]
    return max((span for span in spans if span is not None), default=None)


def error(status: int, why: str) -> Json:
    return {"error": {"code": status, "message": why, "status": _STATUS_WORDS.get(status, "INTERNAL")}}
