"""OpenAI's Chat Completions API, which many other services implement too."""

import re
from collections.abc import Iterator

from reknit.core.gateway.metering import AnswerFacts, Tokens, count
from reknit.core.gateway.wire import openai_content, shapes
from reknit.core.gateway.wire.nodes import Bulk, listed, whole
from reknit.core.gateway.wire.openai_chat_body import DROPPED, FIELDS, SEARCH_FIELD
from reknit.core.text.json_body import Json

UPSTREAM = "https://api.openai.com"
PRICED = re.compile(r"POST /v1/chat/completions")
FREE = re.compile(r"GET /v1/models")
QUERIES: frozenset[str] = frozenset()
SEARCH_USD = 0.035
REQUEST_HEADERS, ANSWER_HEADERS = openai_content.REQUEST_HEADERS, openai_content.ANSWER_HEADERS

_CLIENT_TOOLS = frozenset({"function", "custom"})
_OUTPUT_FIELDS = ("max_completion_tokens", "max_tokens")

credential, model, error = openai_content.credential, openai_content.model, openai_content.error


def known(content: Json) -> Json:
    return shapes.known(content, FIELDS, DROPPED)


def refusal(content: Json, *, allow_search: bool) -> str:
    if content.get("n") not in (None, 1):
        return "not allowed: n"
    if content.get("modalities") not in (None, [], ["text"]):
        return "not allowed: modalities"
    if not allow_search and searches(content):
        return f"tool run by the vendor not allowed: {SEARCH_FIELD}"
    return (
        openai_content.vendor_refusal(content, allow_search=allow_search)
        or _tool_refusal(content)
        or shapes.refusal(content, FIELDS)
    )


def _tool_refusal(content: Json) -> str:
    tools = listed(content.get("tools"))
    if tools is None:
        return "the tools are not a list of objects"
    kinds = [str(tool.get("type")) for tool in tools]
    return next((f"tool run by the vendor not allowed: {kind}" for kind in kinds if kind not in _CLIENT_TOOLS), "")


def searches(content: Json) -> bool:
    return content.get(SEARCH_FIELD) is not None


def bulks(content: Json) -> Iterator[Bulk]:
    return openai_content.bulks(content.get("messages"))


def may_shrink(content: Json) -> bool:  # noqa: ARG001
    return False


def asked_output(content: Json) -> int | None:
    asked = [whole(content.get(name)) for name in _OUTPUT_FIELDS if name in content]
    return None if None in asked else min((each for each in asked if each is not None), default=None)


def least_output(content: Json) -> int:  # noqa: ARG001
    return openai_content.LEAST_OUTPUT


def limited(content: Json, max_output: int, max_searches: int) -> Json:  # noqa: ARG001
    names = [name for name in _OUTPUT_FIELDS if name in content] or [_OUTPUT_FIELDS[0]]
    body = {**content, **dict.fromkeys(names, max_output)}
    if content.get("stream"):
        options = content.get("stream_options")
        body["stream_options"] = {**(options if isinstance(options, dict) else {}), "include_usage": True}
    if "store" in content:  # not every service supports it
        body["store"] = False
    return body


def read_event(event: Json) -> AnswerFacts:
    if isinstance(problem := event.get("error"), dict):
        return openai_content.error_told(problem)
    choices, usage = listed(event.get("choices")) or [], event.get("usage")
    ends = [choice.get("finish_reason") for choice in choices]
    cached, written = (count(usage, "prompt_tokens_details", name) for name in ("cached_tokens", "cache_write_tokens"))
    prompt = count(usage, "prompt_tokens")
    return AnswerFacts(
        tokens=Tokens(
            input=max(0, prompt - cached - written),
            cache_write=written,
            cached=cached,
            output=max(count(usage, "completion_tokens"), count(usage, "total_tokens") - prompt),
            searches=int(isinstance(usage, dict)),  # not reported: assume one per response
        ),
        final=isinstance(usage, dict) and all(ends),
        refused="content_filter" in ends or any(_said_no(choice) for choice in choices),
    )


def _said_no(choice: Json) -> bool:
    said = choice.get("delta") or choice.get("message")
    return isinstance(said, dict) and bool(said.get("refusal"))
