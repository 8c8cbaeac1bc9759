"""The model gateway's decisions that no wire format changes: which request may leave a box, and what of it."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Literal
from urllib.parse import parse_qs

from reknit.core.metering import Json
from reknit.core.wire import Wire

MAX_BODY = 32 << 20
MAX_STRANGERS_BODY = 64 << 10
"""Of who does not show the run token."""
MAX_BODIES = 64 << 20
"""All that are held at once."""

OVER_BUDGET = "not enough money is left"
TOO_MANY = "too many requests in one call"

_REQUESTS_PER_TURN, _SPARE_REQUESTS = 4, 20

Charge = Literal["priced", "free"]


def request_cap(turns: int) -> int:
    """Wider than what an agent's CLI holds itself to: this is for whatever else runs in the box."""
    return _REQUESTS_PER_TURN * turns + _SPARE_REQUESTS


def charge_of(wire: Wire, method: str, target: str) -> Charge | None:
    """Whether this request line costs money; None when it may not pass at all."""
    line = f"{method} {target.partition('?')[0]}"
    if wire.PRICED.fullmatch(line):
        return "priced"
    return "free" if wire.FREE.fullmatch(line) else None


def upstream_target(wire: Wire, target: str) -> str:
    """With only the known parts of the query: a key never passes in it."""
    path, _, query = target.partition("?")
    known = [part for part in query.split("&") if part in wire.QUERIES]
    return f"{path}?{'&'.join(known)}" if known else path


def lower(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """With their names in lower case."""
    return {name.lower(): value for name, value in headers}


def chosen(headers: Iterable[tuple[str, str]], names: frozenset[str]) -> dict[str, str]:
    """Only the named headers, in lower case and on one line: credentials, cookies and hop-by-hop ones never pass."""
    return {name: value for name, value in lower(headers).items() if name in names and value.isprintable()}


def presented_token(headers: Mapping[str, str], target: str) -> str:
    """What the box shows as its key, wherever its vendor's clients put it. Expects lower-case names."""
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    in_query = parse_qs(target.partition("?")[2]).get("key", [""])[0]
    shown = headers.get("x-api-key") or headers.get("x-goog-api-key") or in_query
    return shown or (bearer.strip() if kind.lower() == "bearer" else "")


def without(key: str, body: bytes) -> bytes:
    """A vendor may repeat the key it was shown when it does not take it."""
    return body.replace(key.encode(), b"[key]") if key else body


def decoded(body: bytes) -> Json | None:
    """The body as an object, when it means the same to everybody."""
    try:
        content = json.loads(
            body.decode(), object_pairs_hook=_no_twins, parse_constant=_no_constant, parse_float=_finite
        )
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def encoded(content: Json) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def _no_twins(pairs: list[tuple[str, object]]) -> Json:
    """A name given twice could mean one thing here and another at the vendor."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name is given twice")
    return members


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is out of range")
    return number
