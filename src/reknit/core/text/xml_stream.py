"""XML reports: fed to expat in pieces, so that memory stays flat, and without anything an attacker could abuse."""

from collections.abc import Iterator
from xml.parsers import expat

Data = bytes | memoryview
"""A whole report; a view of a mapped file is never copied, and must stay open until the last result is read."""


PIECE = 1 << 17
LONGEST_TAG = 4 << 20
"""Bytes; expat rescans an incomplete tag from its start with every piece."""


class XmlProblem(ValueError):
    """What is wrong with the report, without its subject: `is not well-formed XML: …`."""


def new_parser() -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True  # one call per text instead of one per line
    parser.EntityDeclHandler = _refuse_entities
    return parser


def feed(parser: expat.XMLParserType, data: Data) -> Iterator[None]:
    """Yields after each piece, so that the caller can collect what the handlers kept."""
    view, is_last = memoryview(data), True
    try:
        for start in range(0, len(view), PIECE):
            piece = view[start : start + PIECE]
            parser.Parse(piece)
            if start + len(piece) - parser.CurrentByteIndex > LONGEST_TAG:
                raise XmlProblem("has a tag of many megabytes")
            yield
        parser.Parse(b"", is_last)
    except XmlProblem:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise XmlProblem(f"is not well-formed XML: {error}") from error
    yield


def _refuse_entities(*_declaration: object) -> None:
    raise XmlProblem("declares an entity, which no report needs")
