"""Digests of the text around a finding, which moved lines and reformatting do not change."""

import hashlib
import re
from functools import lru_cache
from itertools import accumulate

from reknit.core.issues.identity.rule_concepts import NAMING, REVIEWER, concept, subject
from reknit.core.issues.model import LocatedResult, ReportResult

AFTER, BEFORE = 100, 80
"""Squeezed bytes, about three lines. Each side has its own digest: an edit nearby usually changes only one of them."""
LONG = 4096
"""Bytes in a line; a longer line is machine-generated."""
TELLING = 24
"""Squeezed bytes that make a line distinctive: `except Exception:` has fewer."""
DIGEST = 16
EXACT = 8
MOST_MESSAGE_CHARS = 2_000

_BLANK = b" \t\r\v\f"
_DROPPED = _BLANK + b",;()\\"
_SAME_QUOTES = bytes.maketrans(b"'", b'"')
_NOT_SAID = _BLANK + b"\n'\"`"
_DIGITS = b"0123456789"
_NUMBERS = re.compile(
    r"[0-9](?<![\w./@#=~^-].)"  # looks back from a digit, not ahead to one: that is three times as fast
    r"(?:x(?:(?<=at 0x)|(?=[0-9a-fA-F]{9}))[0-9a-fA-F]+|[0-9]*(?:,[0-9]{3})*(?:(?:\.[0-9]+)?(?:m?s|%))?)"
    r"(?!\w|[./@-]\w)"
)
"""Standalone numbers, as in `(130 > 120)`, and memory addresses. A digit in a name, identifier or version stays: it
distinguishes one problem from another."""
_FOLDERS = re.compile(
    r"""/(?<![^\s"'`(=:/].)(?:home|Users|root|tmp|private|builds|github|runner|workspaces?|__w)/(?:[^\s"'`(]*/)?"""
)
"""Machine-specific folders. Others are part of a name: `lodash/merge` is not `axios/merge`."""
_NAME = re.compile(rb"\w+")
_NOTHING_YET = hashlib.blake2b(digest_size=DIGEST)


class NormalizedFile:
    """A file without what a formatter may change: whitespace, line breaks, parentheses, commas, quote style."""

    __slots__ = ("_is_ascii", "_lines", "_long", "_starts", "_stream", "last")

    def __init__(self, data: bytes) -> None:
        squeezed = data.translate(_SAME_QUOTES, _DROPPED).split(b"\n")
        self._stream = b"".join(squeezed)
        self._starts = [0, *accumulate(map(len, squeezed))]
        self._lines = data.split(b"\n")
        self._is_ascii = data.isascii()
        self._long: dict[int, list[int]] = {}
        self.last = len(squeezed)
        """Number of the last line."""

    def digests(self, line: int, column: int, about: bytes) -> tuple[bytes, bytes]:
        """`wide` and `own` of a location; `about`: the name that is meant, if it is one of several there."""
        stream, starts = self._stream, self._starts
        start = at = starts[line - 1]
        if column > 1:
            at += self._squeezed(line, self._bytes(line, column))
        after, before = stream[at : at + AFTER], stream[at - BEFORE if at > BEFORE else 0 : at]
        end = starts[line]
        own = stream[start : end if end - start <= LONG else start + LONG]
        if about:
            about = self._alias(line, column) or about
            own += b"\0" + about
            if not after.startswith(about):  # a tool that points at a statement may mean any name in it
                after, before = after + b"\0" + about, before + b"\0" + about
        return _digest(after) + _digest(before), _line_digest(own)

    def _alias(self, line: int, column: int) -> bytes:
        """The name at the location, if it is an alias that `as` introduces there."""
        text, at = self._lines[line - 1], self._bytes(line, max(column, 1))
        name = _NAME.match(text, at) if text[max(at - LONG, 0) : at].rstrip().endswith((b" as", b"\tas")) else None
        return name[0] if name else b""

    def _squeezed(self, line: int, width: int) -> int:
        """How many of the first `width` bytes remain. A long line is counted in parts, once for all its findings."""
        text = self._lines[line - 1]
        if width <= LONG:
            return len(text[:width].translate(None, _DROPPED))
        if line not in self._long:
            sizes = (len(text[at : at + LONG].translate(None, _DROPPED)) for at in range(0, len(text), LONG))
            self._long[line] = [0, *accumulate(sizes)]
        part = min(width, len(text)) // LONG
        return self._long[line][part] + len(text[part * LONG : width].translate(None, _DROPPED))

    def _bytes(self, line: int, column: int) -> int:
        if self._is_ascii or column > LONG:  # this far into a machine-generated line, counting bytes is good enough
            return column - 1
        return len(self._lines[line - 1].decode("utf-8", "replace")[: column - 1].encode())


def normalized(data: bytes | None) -> NormalizedFile | None:
    """None: there is no such file, or it is not text."""
    return None if data is None or b"\0" in data else NormalizedFile(data)


def place(found: ReportResult, path: str, text: NormalizedFile | None) -> LocatedResult:
    """If the text is not available, the tool's own fingerprint replaces it, or its snippet, or its message."""
    name = concept(found.tool, found.rule)
    about = _about(name, found.message) if name in NAMING else b""
    said = _said(about, found.message)
    if text is not None and 0 < found.line <= text.last:
        wide, own = text.digests(found.line, found.column, about)
    else:
        wide, own = _without_text(found, said[:DIGEST] if name.startswith(REVIEWER) else said, about)
    if name.startswith(REVIEWER):
        said = _digest(_encoded(name)) + said[DIGEST:]  # two reviews word one problem differently: the line decides
    return LocatedResult(found, path, name, wide, own, said)


def stable(placed: LocatedResult, ordinal: int) -> str:
    """A permanent fingerprint; the ordinal distinguishes what looks alike in one file."""
    parts = (_encoded(placed.concept), _encoded(placed.path), placed.wide, str(ordinal).encode())
    return _digest(b"\0".join(parts)).hex()


def _without_text(found: ReportResult, said: bytes, about: bytes) -> tuple[bytes, bytes]:
    if found.given:
        given = _digest(b"given\0" + _encoded(found.given))
        return given + given, given
    squeezed = _encoded(found.snippet).translate(_SAME_QUOTES, _DROPPED + b"\n")
    wide = _digest(squeezed + b"\0" + about if squeezed else b"said\0" + said)
    return wide + wide, wide


def _line_digest(line: bytes) -> bytes:
    """One byte shorter if the line is too short to be distinctive."""
    return _digest(line) if len(line) >= TELLING else _digest(line)[:-1]


@lru_cache(maxsize=16_384)
def _about(concept: str, message: str) -> bytes:
    return _encoded(subject(concept, message))


def _said(about: bytes, message: str) -> bytes:
    """Digests of the words, then of the whole message: if two differ only in numbers, the identical one comes first."""
    if about:
        words = whole = _digest(about)
    else:
        words, whole = _words_and_whole(message)
    return words + whole[:EXACT]


def _words_and_whole(message: str) -> tuple[bytes, bytes]:
    if len(message) > MOST_MESSAGE_CHARS:
        message = message[:MOST_MESSAGE_CHARS]
    data = _encoded(message)
    whole = words = _digest(data.translate(None, _NOT_SAID))
    if "/" in message or len(data.translate(None, _DIGITS)) < len(data):
        words = _digest(_without_passing(message))
    return words, whole


@lru_cache(maxsize=16_384)
def _without_passing(message: str) -> bytes:
    """A message without what varies between runs and between machines."""
    return _encoded(_NUMBERS.sub("", _FOLDERS.sub("/", message))).translate(None, _NOT_SAID)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _digest(data: bytes) -> bytes:
    """A cryptographic hash: the code under repair is not trusted, and a collision can silence a finding."""
    begun = _NOTHING_YET.copy()
    begun.update(data)
    return begun.digest()
