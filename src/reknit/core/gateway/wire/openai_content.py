"""Parts that OpenAI's two wire formats share: content, errors, and options that cost more than the list price."""

import re
from collections.abc import Iterator

from reknit.core.gateway.metering import AnswerFacts, read_count
from reknit.core.gateway.wire.shapes import DOCUMENT_TOKENS, IMAGE_TOKENS, Bulk, walk_objects
from reknit.core.text.untrusted_input import Json

REQUEST_HEADERS = frozenset({"accept", "openai-beta", "originator", "session_id", "user-agent", "version"})
ANSWER_HEADERS = frozenset({"content-type", "retry-after", "retry-after-ms", "x-request-id", "x-should-retry"})
LEAST_OUTPUT = 1_024

_LISTED_TIERS = (None, "auto", "default", "flex")
_SEARCHING_MODEL = re.compile(r"search|deep-research|:online", re.IGNORECASE)
_SCHEMAS = frozenset({"tools", "parameters"})
# A used-up quota is not a rate limit: a person must pay, and waiting does not help.
_STATUS_OF = {
    "invalid_api_key": 401, "insufficient_quota": 403, "rate_limit_exceeded": 429, "rate_limit_error": 429,
    "usage_limit_reached": 429, "too_many_requests": 429, "server_error": 500, "internal_server_error": 500,
    "server_is_overloaded": 503, "slow_down": 503, "overloaded": 503, "context_length_exceeded": 400,
    "invalid_prompt": 400, "invalid_request_error": 400,
}  # fmt: skip
_KIND_OF = {403: "permission_error", 429: "rate_limit_error"}
_CODE_OF = {403: "forbidden", 429: "rate_limit_exceeded"}


def to_credential_headers(key: str) -> dict[str, str]:
    """Return the header that authorizes a request with the key."""
    return {"authorization": f"Bearer {key}"}


def read_model(path: str, content: Json) -> str:  # noqa: ARG001
    """Return the name of the model; empty if the request has none."""
    return str(content.get("model") or "")


def find_vendor_refusal(content: Json, *, allow_search: bool) -> str:
    """Return why the body must not pass: the vendor would store it, search, or charge other prices; or empty."""
    if content.get("store"):
        return "not allowed: store"
    if content.get("service_tier") not in _LISTED_TIERS:
        return f"not in the price list: service_tier {content['service_tier']}"
    if not allow_search and _SEARCHING_MODEL.search(str(content.get("model"))):
        return f"a model that searches is not allowed: {content['model']}"
    return ""


def _read_image_url(node: Json) -> str | None:
    image = node.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image
    return url if isinstance(url, str) else None


def list_bulks(content: object) -> Iterator[Bulk]:
    """Yield the parts that may count as more tokens than bytes."""
    for node in walk_objects(content, skip=_SCHEMAS):
        if (url := _read_image_url(node)) is not None:
            yield Bulk(url, IMAGE_TOKENS)
        for data in (node.get("file_data"), node.get("input_audio")):
            if data:
                yield Bulk(str(data), DOCUMENT_TOKENS)


def read_error(problem: Json) -> AnswerFacts:
    """Read the object that a vendor puts under `error`."""
    statuses = (_STATUS_OF.get(str(problem.get(name)), 0) for name in ("code", "type"))
    return AnswerFacts(status=read_count(problem, "code") or next(filter(None, statuses), 0))


def to_error(status: int, why: str) -> Json:
    """Return an error in the vendor's own format."""
    kind, code = _KIND_OF.get(status, "server_error"), _CODE_OF.get(status)
    return {"error": {"message": why, "type": kind, "param": None, "code": code}}
