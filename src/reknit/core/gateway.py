"""The model gateway's decisions: which request may leave a box, and what of it."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reknit.core.agent_call import AgentOrder

PATHS = frozenset({("POST", "/v1/messages"), ("POST", "/v1/messages/count_tokens")})
"""Method and path of everything that may pass. Whoever adds a provider adds its rows here."""

QUERIES = frozenset({"beta=true"})
"""Queries that are passed on; any other is cut off."""

REQUEST_HEADERS = frozenset({"accept", "anthropic-beta", "anthropic-version", "content-type", "user-agent", "x-app"})
ANSWER_HEADERS = frozenset({"content-type", "request-id", "retry-after", "x-should-retry"})

MAX_BODY = 64 << 20

OVER_BUDGET = "the budget of this attempt is spent"

# Run by the agent in its box. Everything else (fetch, code execution, remote MCP) is run by the vendor: a way out.
_CLIENT_TOOLS = re.compile(r"custom|(bash|text_editor|computer|memory)_\d{8}")
_SEARCH_TOOL = re.compile(r"web_search_\d{8}")
_VENDOR_FIELDS = ("mcp_servers", "container")
_INLINE_SOURCES = frozenset({"base64", "text", "content"})

_REQUESTS_PER_TURN, _SPARE_REQUESTS = 4, 20
# list prices of November 2026: 0.10 USD a million for the cheapest haiku, 2 to 10 for the others; cache reads skew it
_TOKENS_PER_USD, _TOKENS_PER_USD_CHEAP, _LEAST_TOKENS = 2_000_000, 12_000_000, 200_000


@dataclass(frozen=True)
class Caps:
    max_requests: int
    max_tokens: int
    """Counted as `Tokens.worth`."""


def caps_of(order: AgentOrder, model: str) -> Caps:
    """Wider than what an agent's CLI holds itself to: these are for whatever else runs in the box.

    A backstop, no price list: it must not stop a cheap model before its budget is spent, so a dear one can overspend.
    """
    per_usd = _TOKENS_PER_USD_CHEAP if "haiku" in model.lower() else _TOKENS_PER_USD
    return Caps(
        max_requests=_REQUESTS_PER_TURN * order.turns + _SPARE_REQUESTS,
        max_tokens=max(_LEAST_TOKENS, int(per_usd * order.budget_usd)),
    )


def path_refusal(method: str, target: str) -> str:
    """Why this request line may not pass; empty when it may."""
    path = target.partition("?")[0]
    return "" if (method, path) in PATHS else f"path not allowed: {method} {path}"


def upstream_target(target: str) -> str:
    path, _, query = target.partition("?")
    return f"{path}?{query}" if query in QUERIES else path


def chosen(headers: Iterable[tuple[str, str]], names: frozenset[str]) -> dict[str, str]:
    """Only the named headers, in lower case: credentials, cookies and hop-by-hop headers never pass."""
    return {name.lower(): value for name, value in headers if name.lower() in names}


def presented_token(headers: Mapping[str, str]) -> str:
    """What the box shows as its key, as `x-api-key` or as a bearer token. Expects lower-case names."""
    return headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")


def body_refusal(body: bytes, *, allow_search: bool) -> str:
    """Why this body may not pass: not a JSON object, or it asks the vendor to reach out. Empty when it may."""
    try:
        content = json.loads(body.decode(), object_pairs_hook=_no_twins)
    except (ValueError, RecursionError):
        return "the body is not a plain JSON object"
    if not isinstance(content, dict):
        return "the body is not a plain JSON object"
    for name in _VENDOR_FIELDS:
        if content.get(name):
            return f"not allowed: {name}"
    return _tool_refusal(content.get("tools"), allow_search=allow_search) or _source_refusal(content)


def _no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A name given twice could mean one thing here and another at the vendor."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name is given twice")
    return members


def _tool_refusal(tools: object, *, allow_search: bool) -> str:
    if tools is None:
        return ""
    if not isinstance(tools, list):
        return "the tools are not a list"
    for tool in tools:
        if not isinstance(tool, dict):
            return "a tool is not an object"
        kind = str(tool.get("type") or "custom")
        if _CLIENT_TOOLS.fullmatch(kind) or (allow_search and _SEARCH_TOOL.fullmatch(kind)):
            continue
        return f"tool run by the vendor not allowed: {kind}"
    return ""


def _source_refusal(content: dict[str, object]) -> str:
    """An image or document the vendor would fetch by address or from its own store."""
    waiting: list[object] = [content.get("messages"), content.get("system")]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        if not isinstance(node, dict):
            continue
        source = node.get("source")
        if isinstance(source, dict) and source.get("type") not in _INLINE_SOURCES:
            return f"source not allowed: {source.get('type')}"
        # what a tool was called with is the agent's own data, whatever it looks like
        waiting += [value for name, value in node.items() if name != "input"]
    return ""
