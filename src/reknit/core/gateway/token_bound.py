"""Upper bound on the tokens of a request's prompt, known before it is sent."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reknit.core.gateway.wire.nodes import Bulk
from reknit.core.text.json_body import Json

_UNSEEN_TOKENS = 1_000
"""What a vendor adds to the prompt, such as how tools are called."""
_SEAM_TOKENS = 200
"""How much a boundary between parts may change a count."""
MAX_KEPT = 8
_MAX_PARTS = 10_000
_TOO_DEEP = 1 << 40

_MARK = r'"cache_control": \{"type": "ephemeral"(?:, "ttl": "(?:5m|1h)")?\}'
_CACHE_MARK = re.compile(rf", {_MARK}|{_MARK}, ")
"""Clients move it as the conversation grows; nothing else may match as a cache mark, or new text could hide there."""


@dataclass(frozen=True)
class RequestPart:
    """A message, a tool, or another field of a request: the smallest unit that is either known or new."""

    digest: bytes
    size: int
    """In bytes."""


@dataclass(frozen=True)
class CountedRequest:
    """An answered request, and the provider's token count for it."""

    model: str
    parts: tuple[RequestPart, ...]
    bulks: tuple[Bulk, ...]
    prompt: int


def kept(earlier: tuple[CountedRequest, ...], counted: CountedRequest | None) -> tuple[CountedRequest, ...]:
    return earlier if counted is None else (*earlier, counted)[-MAX_KEPT:]


def parts_of(content: Json) -> tuple[RequestPart, ...]:
    """Identified by meaning, not by position in the bytes: what was an image and is now text is new."""
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
    """A token is at least one byte. Most of a continued conversation was counted before, by the same tokenizer."""
    bounds = [size + _UNSEEN_TOKENS + _tokens(Counter(bulks))]
    for known in earlier:
        if known.model == model:
            new_bulks = Counter(bulks) - Counter(known.bulks)
            bounds.append(known.prompt + added(known.parts, parts) + _SEAM_TOKENS + _tokens(new_bulks))
    return min(bounds)


def added(old: Iterable[RequestPart], new: Iterable[RequestPart]) -> int:
    """Bytes of the new parts; a part that occurs twice is known only if it occurred twice before."""
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
