"""Reads untrusted JSON: its shape is checked before it is parsed, so that a small body cannot be expensive."""

import json
import math
import re

Json = dict[str, object]


MAX_DEPTH = 100
MAX_VALUES = 200_000
"""Names, values and commas. A conversation of a million tokens has about 20,000 of them."""

# Every byte belongs to exactly one match, and nothing is tried twice: a single pass, whatever the bytes are.
_TOKEN = re.compile(
    rb'[^"\[\]{},]*+(?:("(?:[^"\\]++|\\.)*+"?+|,)|([\[{])|([\]}])|\Z)',
    re.DOTALL,
)
_VALUE, _OPENS, _CLOSES = 1, 2, 3


def is_bounded(body: bytes) -> bool:
    """Whether it is safe to parse: not nested too deeply, and not too many values. It need not be valid JSON."""
    depth = values = 0
    for token in _TOKEN.finditer(body):
        kind = token.lastindex
        depth += (kind == _OPENS) - (kind == _CLOSES)
        values += kind in (_VALUE, _OPENS)
        if not 0 <= depth <= MAX_DEPTH or values > MAX_VALUES:
            return False
    return True


def decoded(body: bytes) -> Json | None:
    """The body as an object, if every parser would read it the same way; otherwise None."""
    if not is_bounded(body):
        return None
    try:
        content = json.loads(
            body.decode(), object_pairs_hook=_no_twins, parse_constant=_no_constant, parse_float=_finite
        )
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def encoded(content: Json) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def _no_twins(pairs: list[tuple[str, object]]) -> Json:
    """A name given twice could mean one thing here and another to the vendor."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name is given twice")
    return members


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is out of range")
    return number
