"""How many tokens a request's prompt can have at most, known before it is sent."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reknit.core.gateway.wire.nodes import Bulk
from reknit.core.text.json_body import Json

_UNSEEN_TOKENS = 1_000
"""What a vendor adds of its own, such as how tools are called."""
_SEAM_TOKENS = 200
"""What a cut between parts may change in a count."""
MAX_KEPT = 8
_MAX_PARTS = 10_000
_TOO_DEEP = 1 << 40

_MARK = r'"cache_control": \{"type": "ephemeral"(?:, "ttl": "(?:5m|1h)")?\}'
_CACHE_MARK = re.compile(rf", {_MARK}|{_MARK}, ")
"""A client moves it along as the conversation grows; nothing else may be taken for it, or new text could hide there."""


@dataclass(frozen=True)
class RequestPart:
    """A message, a tool, or another field of a request: the smallest thing that is either known or new."""

    digest: bytes
    size: int
    """Its bytes."""


@dataclass(frozen=True)
class CountedRequest:
    """A request that was answered, and what the provider counted for it."""

    model: str
    parts: tuple[RequestPart, ...]
    bulks: tuple[Bulk, ...]
    prompt: int


def kept(earlier: tuple[CountedRequest, ...], counted: CountedRequest | None) -> tuple[CountedRequest, ...]:
    return earlier if counted is None else (*earlier, counted)[-MAX_KEPT:]


def parts_of(content: Json) -> tuple[RequestPart, ...]:
    """By their meaning, not by their place in the bytes: what was a picture and is now a text is new."""
    try:
        return tuple(_parts(content))
    except RecursionError:
        return (RequestPart(b"", _TOO_DEEP),)


def _parts(content: Json) -> Iterator[RequestPart]:
    for name, value in content.items():
        for each in value if isinstance(value, list) and len(value) <= _MAX_PARTS else [value]:
            text = json.dumps([name, each])
            digest = hashlib.blake2b(_CACHE_MARK.sub("", text).encode(), digest_size=16).digest()
            yield RequestPart(digest, len(text))


def most_tokens(
    model: str, size: int, parts: tuple[RequestPart, ...], bulks: tuple[Bulk, ...], earlier: Iterable[CountedRequest]
) -> int:
    """A token is at least one byte. Most of a conversation that goes on was counted before, by the same tokenizer."""
    bounds = [size + _UNSEEN_TOKENS + _tokens(Counter(bulks))]
    for known in earlier:
        if known.model == model:
            new_bulks = Counter(bulks) - Counter(known.bulks)
            bounds.append(known.prompt + added(known.parts, parts) + _SEAM_TOKENS + _tokens(new_bulks))
    return min(bounds)


def added(old: Iterable[RequestPart], new: Iterable[RequestPart]) -> int:
    """Bytes of the parts that are new; one that comes twice must have come twice."""
    known = Counter(part.digest for part in old)
    total = 0
    for part in new:
        if known[part.digest] > 0:
            known[part.digest] -= 1
        else:
            total += part.size
    return total


def _tokens(bulks: "Counter[Bulk]") -> int:
    return sum(bulk.tokens * times for bulk, times in bulks.items())
