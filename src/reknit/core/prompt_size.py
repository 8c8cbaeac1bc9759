"""How many tokens a request's prompt can have at most, known before it is sent."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from reknit.core.wire.nodes import Bulk

_UNSEEN_TOKENS = 1_000
"""What a vendor adds of its own, such as how tools are called."""
_SEAM_TOKENS = 200
"""What a cut in the middle of words may change in a count."""
MAX_KEPT = 8
_MAX_KEPT_BYTES = 8 << 20


@dataclass(frozen=True)
class Counted:
    """A body that was answered, and what the provider counted for it."""

    model: str
    body: bytes
    bulks: tuple[Bulk, ...]
    prompt: int


def kept(earlier: tuple[Counted, ...], counted: Counted | None) -> tuple[Counted, ...]:
    """The last few; a giant among them is not worth its memory."""
    if counted is None or len(counted.body) > _MAX_KEPT_BYTES:
        return earlier
    return (*earlier, counted)[-MAX_KEPT:]


def most_tokens(model: str, body: bytes, bulks: tuple[Bulk, ...], earlier: Iterable[Counted]) -> int:
    """A token is at least one byte. Most of a conversation that goes on was counted before, by the same tokenizer."""
    bounds = [len(body) + _UNSEEN_TOKENS + _tokens(Counter(bulks))]
    for known in earlier:
        if known.model == model:
            new_bulks = Counter(bulks) - Counter(known.bulks)
            bounds.append(known.prompt + added(known.body, body) + _SEAM_TOKENS + _tokens(new_bulks))
    return min(bounds)


def added(old: bytes, new: bytes) -> int:
    """Bytes of the new one that are neither in what both begin with nor in what both end with."""
    shorter = min(len(old), len(new))
    prefix = _longest(lambda size: new.startswith(old[:size]), shorter)
    suffix = _longest(lambda size: new.endswith(old[len(old) - size :]), shorter - prefix)
    return len(new) - prefix - suffix


def _longest(fits: Callable[[int], bool], most: int) -> int:
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if fits(middle) else (least, middle - 1)
    return least


def _tokens(bulks: "Counter[Bulk]") -> int:
    return sum(bulk.tokens * times for bulk, times in bulks.items())
