"""What OpenAI's two wire formats have in common: content parts, errors, and what costs more than the list price."""

import re
from collections.abc import Iterator

from reknit.core.gateway.metering import AnswerFacts, count
from reknit.core.gateway.wire.nodes import DOCUMENT_TOKENS, IMAGE_TOKENS, Bulk, objects
from reknit.core.text.json_body import Json

REQUEST_HEADERS = frozenset({"accept", "openai-beta", "originator", "session_id", "user-agent", "version"})
ANSWER_HEADERS = frozenset({"content-type", "retry-after", "retry-after-ms", "x-request-id", "x-should-retry"})
LEAST_OUTPUT = 1_024

_LISTED_TIERS = (None, "auto", "default", "flex")
_SEARCHING_MODEL = re.compile(r"search|deep-research|:online", re.IGNORECASE)
_SCHEMAS = frozenset({"tools", "parameters"})
# waiting does not restore a used-up quota: a person must pay
_STATUS_OF = {
    "invalid_api_key": 401, "insufficient_quota": 403, "rate_limit_exceeded": 429, "rate_limit_error": 429,
    "usage_limit_reached": 429, "too_many_requests": 429, "server_error": 500, "internal_server_error": 500,
    "server_is_overloaded": 503, "slow_down": 503, "overloaded": 503, "context_length_exceeded": 400,
    "invalid_prompt": 400, "invalid_request_error": 400,
}  # fmt: skip
_KIND_OF = {403: "permission_error", 429: "rate_limit_error"}
_CODE_OF = {403: "forbidden", 429: "rate_limit_exceeded"}


def credential(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def model(path: str, content: Json) -> str:  # noqa: ARG001
    return str(content.get("model") or "")


def vendor_refusal(content: Json, *, allow_search: bool) -> str:
    if content.get("store"):
        return "not allowed: store"
    if content.get("service_tier") not in _LISTED_TIERS:
        return f"not in the price list: service_tier {content['service_tier']}"
    if not allow_search and _SEARCHING_MODEL.search(str(content.get("model"))):
        return f"a model that searches is not allowed: {content['model']}"
    return ""


def _address(node: Json) -> str | None:
    image = node.get("image_url")
    address = image.get("url") if isinstance(image, dict) else image
    return address if isinstance(address, str) else None


def bulks(content: object) -> Iterator[Bulk]:
    for node in objects(content, skip=_SCHEMAS):
        if (address := _address(node)) is not None:
            yield Bulk(address, IMAGE_TOKENS)
        for data in (node.get("file_data"), node.get("input_audio")):
            if data:
                yield Bulk(str(data), DOCUMENT_TOKENS)


def error_told(problem: Json) -> AnswerFacts:
    """Reads the object that a vendor puts under `error`."""
    named = (_STATUS_OF.get(str(problem.get(name)), 0) for name in ("code", "type"))
    return AnswerFacts(status=count(problem, "code") or next(filter(None, named), 0))


def error(status: int, why: str) -> Json:
    kind, code = _KIND_OF.get(status, "server_error"), _CODE_OF.get(status)
    return {"error": {"message": why, "type": kind, "param": None, "code": code}}
