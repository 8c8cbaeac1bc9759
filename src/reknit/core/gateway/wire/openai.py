"""OpenAI's Responses API."""

import re
from collections.abc import Iterator

from reknit.core.gateway.metering import AnswerFacts, Tokens, count
from reknit.core.gateway.wire import openai_content, shapes
from reknit.core.gateway.wire.nodes import BUILT_IN_TOOL_TOKENS, Bulk, listed, objects, whole
from reknit.core.gateway.wire.openai_body import DROPPED, FIELDS
from reknit.core.text.json_body import Json

UPSTREAM = "https://api.openai.com"
PRICED = re.compile(r"POST /v1/responses")
FREE = re.compile(r"GET /v1/models")
QUERIES: frozenset[str] = frozenset()
SEARCH_USD = 0.025
REQUEST_HEADERS, ANSWER_HEADERS = openai_content.REQUEST_HEADERS, openai_content.ANSWER_HEADERS

# The agent runs these in its box, or they search the tools it listed. The vendor runs all others.
_CLIENT_TOOLS = frozenset({"function", "custom", "local_shell", "apply_patch", "namespace", "tool_search"})
_SEARCH_TOOL = re.compile(r"web_search(_preview)?(_\d{4}_\d{2}_\d{2})?")
_DESCRIBED = frozenset({"function", "custom", "namespace"})
_SCHEMAS = frozenset({"parameters"})
_ANNOUNCING = frozenset({"response.created", "response.queued", "response.in_progress", "keepalive"})

credential, model, error = openai_content.credential, openai_content.model, openai_content.error


def known(content: Json) -> Json:
    return shapes.known(content, FIELDS, DROPPED)


def refusal(content: Json, *, allow_search: bool) -> str:
    return (
        openai_content.vendor_refusal(content, allow_search=allow_search)
        or _tool_refusal(content, allow_search=allow_search)
        or shapes.refusal(content, FIELDS)
    )


def _tool_refusal(content: Json, *, allow_search: bool) -> str:
    for node in _offers(content):
        tools = listed(node.get("tools"))
        if tools is None:
            return "the tools are not a list of objects"
        for tool in tools:
            kind = str(tool.get("type"))
            if kind not in _CLIENT_TOOLS and not (allow_search and _SEARCH_TOOL.fullmatch(kind)):
                return f"tool run by the vendor not allowed: {kind}"
    return ""


def _offers(content: Json) -> Iterator[Json]:
    """Everything that may contain tools: the body, items of its input, and namespaces in both."""
    yield content
    for node in objects([content.get("tools"), content.get("input")], skip=_SCHEMAS):
        if "tools" in node:
            yield node


def _tools(content: Json) -> Iterator[Json]:
    for node in _offers(content):
        yield from listed(node.get("tools")) or ()


def searches(content: Json) -> bool:
    return any(_SEARCH_TOOL.fullmatch(str(tool.get("type"))) for tool in _tools(content))


def bulks(content: Json) -> Iterator[Bulk]:
    yield from openai_content.bulks(content.get("input"))
    for tool in _tools(content):
        if tool.get("type") not in _DESCRIBED:
            yield Bulk(str(tool.get("type")), BUILT_IN_TOOL_TOKENS)


def may_shrink(content: Json) -> bool:
    return content.get("truncation") == "auto"


def asked_output(content: Json) -> int | None:
    return whole(content.get("max_output_tokens"))


def least_output(content: Json) -> int:  # noqa: ARG001
    return openai_content.LEAST_OUTPUT


def limited(content: Json, max_output: int, max_searches: int) -> Json:
    body = {**content, "max_output_tokens": max_output, "store": False}
    if searches(content):
        asked = whole(content.get("max_tool_calls"))
        body["max_tool_calls"] = max_searches if asked is None else min(asked, max_searches)
    return body


def read_event(event: Json) -> AnswerFacts:
    within = event.get("response")
    response = within if isinstance(within, dict) else event
    problem = response.get("error") or (event if event.get("type") == "error" else None)
    if isinstance(problem, dict):
        return openai_content.error_told(problem)
    usage, details = response.get("usage"), response.get("incomplete_details")
    cached, written = (count(usage, "input_tokens_details", name) for name in ("cached_tokens", "cache_write_tokens"))
    prompt = count(usage, "input_tokens")
    return AnswerFacts(
        tokens=Tokens(
            input=max(0, prompt - cached - written),
            cache_write=written,
            cached=cached,
            output=max(count(usage, "output_tokens"), count(usage, "total_tokens") - prompt),
            searches=sum(item.get("type") == "web_search_call" for item in listed(response.get("output")) or ()),
        ),
        final=isinstance(usage, dict),
        refused=(isinstance(details, dict) and details.get("reason") == "content_filter")
        or any(node.get("type") == "refusal" for node in objects(response.get("output"))),
        announces=event.get("type") in _ANNOUNCING,
    )
