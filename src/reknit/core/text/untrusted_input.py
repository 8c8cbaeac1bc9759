"""Reads untrusted JSON and XML within limits, so that a small input cannot be expensive."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.parsers import expat

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
    """Return True if the JSON is safe to parse: not nested too deeply, not too many values. It may be invalid."""
    depth = values = 0
    for token in _TOKEN.finditer(body):
        kind = token.lastindex
        depth += (kind == _OPENS) - (kind == _CLOSES)
        values += kind in (_VALUE, _OPENS)
        if not 0 <= depth <= MAX_DEPTH or values > MAX_VALUES:
            return False
    return True


def parse_object(body: bytes) -> Json | None:
    """Return the body as an object, if every parser would read it the same way; otherwise None."""
    if not is_bounded(body):
        return None
    try:
        content = json.loads(
            body.decode(),
            object_pairs_hook=_reject_repeated_names,
            parse_constant=_reject_constant,
            parse_float=_parse_finite,
        )
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def encode_object(content: Json) -> bytes:
    """Encode the object as compact JSON."""
    return json.dumps(content, separators=(",", ":")).encode()


def _reject_repeated_names(pairs: list[tuple[str, object]]) -> Json:
    """Reject a name that is given twice: it could mean one thing here and another to the vendor."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name is given twice")
    return members


def _reject_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _parse_finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is out of range")
    return number


Data = bytes | memoryview
"""A whole report; a view of a mapped file is never copied, and must stay open until the last result is read."""


PIECE_BYTES = 1 << 17
MAX_TAG_BYTES = 4 << 20
"""Maximum length of a tag in bytes: expat rescans an incomplete tag from its start with every piece."""


class XmlError(ValueError):
    """An unusable XML report. The message has no subject: `is not well-formed XML: …`."""


def make_parser() -> expat.XMLParserType:
    """Return a parser that refuses entity declarations."""
    parser = expat.ParserCreate()
    parser.buffer_text = True  # one call per text instead of one per line
    parser.EntityDeclHandler = _refuse_entities
    return parser


def feed_parser(parser: expat.XMLParserType, data: Data) -> Iterator[None]:
    """Feed the data in pieces. Yield after each, so that the caller can collect what the handlers kept."""
    view, is_last = memoryview(data), True
    try:
        for start in range(0, len(view), PIECE_BYTES):
            piece = view[start : start + PIECE_BYTES]
            parser.Parse(piece)
            if start + len(piece) - parser.CurrentByteIndex > MAX_TAG_BYTES:
                raise XmlError("has a tag of many megabytes")
            yield
        parser.Parse(b"", is_last)
    except XmlError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise XmlError(f"is not well-formed XML: {error}") from error
    yield


def _refuse_entities(*_declaration: object) -> None:
    raise XmlError("declares an entity, which no report needs")


@dataclass(frozen=True)
class WorkLimits:
    """Time and memory that one call may use before it is stopped."""

    wall_s: float
    memory_bytes: int


GATE_LIMITS = WorkLimits(wall_s=30.0, memory_bytes=2 << 30)
TEST_REPORT_LIMITS = WorkLimits(wall_s=60.0, memory_bytes=3 << 30)
IMPORT_LIMITS = WorkLimits(wall_s=300.0, memory_bytes=6 << 30)
"""The largest limits: a report of half a gigabyte is legitimate, and its user can stop the command."""


@dataclass(frozen=True)
class UnfinishedWork:
    """The value returned instead of a result when a limit is reached."""

    why: str
    """A clause without its subject, which is the work: `took longer than 30 s`."""
