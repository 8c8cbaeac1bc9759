"""A model request that costs money: upper bounds on its tokens and its cost, and the body to forward."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from reknit.core.gateway.budget import MAX_SEARCHES, CostBound, Reservation
from reknit.core.gateway.policy import OVER_BUDGET
from reknit.core.gateway.prices import PER_USD, PriceRow
from reknit.core.gateway.wire import Wire
from reknit.core.gateway.wire.shapes import Bulk
from reknit.core.text.untrusted_input import Json, encode_object

_UNSEEN_TOKENS = 1_000
"""Tokens that a vendor adds to the prompt, such as the instructions for calling tools."""
_SEAM_TOKENS = 200
"""Tokens by which the boundary between known and new parts may change a count."""
MAX_KEPT = 8
"""Maximum number of earlier requests that are remembered."""
_MAX_PARTS = 10_000
_TOO_DEEP = 1 << 40

_CACHE_MARK_JSON = r'"cache_control": \{"type": "ephemeral"(?:, "ttl": "(?:5m|1h)")?\}'
_CACHE_MARK = re.compile(rf", {_CACHE_MARK_JSON}|{_CACHE_MARK_JSON}, ")
"""Mark that clients move as the conversation grows. The pattern is exact, or new text could hide in a mark."""


@dataclass(frozen=True)
class RequestPart:
    """A message, a tool, or another field of a request: the smallest unit that is either known or new."""

    digest: bytes
    size: int
    """Size in bytes."""


@dataclass(frozen=True)
class CountedRequest:
    """An answered request, and the provider's token count for it."""

    model: str
    parts: tuple[RequestPart, ...]
    bulks: tuple[Bulk, ...]
    prompt: int


def remember_request(earlier: tuple[CountedRequest, ...], request: CountedRequest | None) -> tuple[CountedRequest, ...]:
    """Return the latest requests, with which later bodies are compared."""
    return earlier if request is None else (*earlier, request)[-MAX_KEPT:]


def split_parts(content: Json) -> tuple[RequestPart, ...]:
    """Split a request into parts, each identified by its field and content: an image sent again as text is new."""
    try:
        return tuple(_split_fields(content))
    except RecursionError:
        return (RequestPart(b"", _TOO_DEEP),)


def _split_fields(content: Json) -> Iterator[RequestPart]:
    for name, value in content.items():
        for item in value if isinstance(value, list) and len(value) <= _MAX_PARTS else [value]:
            text = json.dumps([name, item])
            digest = hashlib.blake2b(_CACHE_MARK.sub("", text).encode(), digest_size=16).digest()
            yield RequestPart(digest, len(text))


def bound_tokens(
    model: str, size: int, parts: tuple[RequestPart, ...], bulks: tuple[Bulk, ...], earlier: Iterable[CountedRequest]
) -> int:
    """Return the most tokens that the prompt can have.

    A token is at least one byte. The provider has already counted most of a conversation that continues.
    """
    bounds = [size + _UNSEEN_TOKENS + _sum_tokens(Counter(bulks))]
    for request in earlier:
        if request.model == model:
            new_bulks = Counter(bulks) - Counter(request.bulks)
            bounds.append(
                request.prompt + count_new_bytes(request.parts, parts) + _SEAM_TOKENS + _sum_tokens(new_bulks)
            )
    return min(bounds)


def count_new_bytes(old: Iterable[RequestPart], new: Iterable[RequestPart]) -> int:
    """Count the bytes of the new parts; a part that occurs twice is known only if it occurred twice before."""
    known_digests = Counter(part.digest for part in old)
    total = 0
    for part in new:
        if known_digests[part.digest] > 0:
            known_digests[part.digest] -= 1
        else:
            total += part.size
    return total


def _sum_tokens(bulks: "Counter[Bulk]") -> int:
    return sum(bulk.tokens * times for bulk, times in bulks.items())


_MAX_OUTPUT = 32_000
"""Maximum tokens per response. Some CLIs request four times as much and never use it; all of it would be
reserved.
"""


@dataclass(frozen=True)
class PricedRequest:
    """A request that costs money, with its price row."""

    wire: Wire
    model: str
    row: PriceRow
    body: bytes
    content: Json

    def bound_cost(self, earlier: Iterable[CountedRequest]) -> CostBound:
        requested_output = self.wire.read_max_output(self.content)
        return CostBound(
            row=self.row,
            prompt=bound_tokens(self.model, len(self.body), self.parts, self.bulks, earlier),
            output=min(
                _MAX_OUTPUT, (self.row.max_output or _MAX_OUTPUT) if requested_output is None else requested_output
            ),
            least_output=self.wire.find_least_output(self.content),
            search_cost=round(self.wire.SEARCH_USD * PER_USD) if self.wire.searches(self.content) else 0,
        )

    def explain_over_budget(self, bound_cost: CostBound, remaining: int) -> str:
        """Explain why the budget does not cover the request, in a sentence that a person can act on."""
        least = bound_cost.fixed_cost + bound_cost.least_output * bound_cost.output_price
        cost, rest = least / PER_USD, max(0, remaining) / PER_USD
        text = f"{OVER_BUDGET}: a request to {self.model} may cost ${cost:.2f}, ${rest:.2f} is left"
        if self.row.is_for(self.model):
            return text
        return f"{text}; prices.toml has no row for it, so the provider's highest price applies"

    @cached_property
    def parts(self) -> tuple[RequestPart, ...]:
        return split_parts(self.content)

    @cached_property
    def bulks(self) -> tuple[Bulk, ...]:
        return tuple(self.wire.list_bulks(self.content))

    def limit_body(self, grant: Reservation) -> bytes:
        """Return the body to forward; the box's own bytes if they need no change."""
        content = self.wire.limit_output(self.content, grant.output, MAX_SEARCHES)
        return self.body if content == self.content else encode_object(content)

    def to_counted_request(self, prompt: int) -> CountedRequest | None:
        """Return the request for comparison with later bodies; None if its count says nothing about them."""
        if not prompt or self.wire.may_shrink(self.content):
            return None
        return CountedRequest(self.model, self.parts, self.bulks, prompt)
