"""Digests of the text around a finding, which moved lines and reformatting do not change."""

import hashlib
import re
from functools import lru_cache
from itertools import accumulate

from reknit.core.issues.identity.rule_concepts import NAMING_CONCEPTS, REVIEWER, find_concept, find_subject
from reknit.core.issues.model import LocatedResult, ReportResult

AFTER, BEFORE = 100, 80
"""Squeezed bytes, about three lines. Each side has its own digest: an edit nearby usually changes only one of them."""
LONG_LINE_BYTES = 4096
"""Size from which a line counts as machine-generated, in bytes."""
MIN_DISTINCTIVE_BYTES = 24
"""Squeezed bytes that make a line distinctive: `except Exception:` has fewer."""
DIGEST_BYTES = 16
EXACT_BYTES = 8
MOST_MESSAGE_CHARS = 2_000

_BLANK = b" \t\r\v\f"
_DROPPED = _BLANK + b",;()\\"
_SAME_QUOTES = bytes.maketrans(b"'", b'"')
_IGNORED_IN_MESSAGES = _BLANK + b"\n'\"`"
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
_EMPTY_HASHER = hashlib.blake2b(digest_size=DIGEST_BYTES)


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

    def digest_location(self, line: int, column: int, about: bytes) -> tuple[bytes, bytes]:
        """Return the context digests and line digest. `about`: the subject's name, if several are there."""
        stream, starts = self._stream, self._starts
        start = at = starts[line - 1]
        if column > 1:
            at += self._count_squeezed(line, self._to_byte_offset(line, column))
        after, before = stream[at : at + AFTER], stream[at - BEFORE if at > BEFORE else 0 : at]
        end = starts[line]
        own = stream[start : end if end - start <= LONG_LINE_BYTES else start + LONG_LINE_BYTES]
        if about:
            about = self._find_alias(line, column) or about
            own += b"\0" + about
            if not after.startswith(about):  # a tool that points at a statement may mean any name in it
                after, before = after + b"\0" + about, before + b"\0" + about
        return _digest(after) + _digest(before), _digest_line(own)

    def _find_alias(self, line: int, column: int) -> bytes:
        """Return the name at the location, if it is an alias that `as` introduces there."""
        text, at = self._lines[line - 1], self._to_byte_offset(line, max(column, 1))
        name = (
            _NAME.match(text, at)
            if text[max(at - LONG_LINE_BYTES, 0) : at].rstrip().endswith((b" as", b"\tas"))
            else None
        )
        return name[0] if name else b""

    def _count_squeezed(self, line: int, width: int) -> int:
        """Count the bytes that remain of the first `width`. A long line is counted in parts, once."""
        text = self._lines[line - 1]
        if width <= LONG_LINE_BYTES:
            return len(text[:width].translate(None, _DROPPED))
        if line not in self._long:
            sizes = (
                len(text[at : at + LONG_LINE_BYTES].translate(None, _DROPPED))
                for at in range(0, len(text), LONG_LINE_BYTES)
            )
            self._long[line] = [0, *accumulate(sizes)]
        part = min(width, len(text)) // LONG_LINE_BYTES
        return self._long[line][part] + len(text[part * LONG_LINE_BYTES : width].translate(None, _DROPPED))

    def _to_byte_offset(self, line: int, column: int) -> int:
        if (
            self._is_ascii or column > LONG_LINE_BYTES
        ):  # this far into a machine-generated line, counting bytes is good enough
            return column - 1
        return len(self._lines[line - 1].decode("utf-8", "replace")[: column - 1].encode())


def normalize_file(data: bytes | None) -> NormalizedFile | None:
    """Return the normalized file; None: there is no such file, or it is not text."""
    return None if data is None or b"\0" in data else NormalizedFile(data)


def locate_result(result: ReportResult, path: str, text: NormalizedFile | None) -> LocatedResult:
    """Locate a result. Without the file's text, the tool's fingerprint, snippet or message replaces it."""
    name = find_concept(result.tool, result.rule)
    about = _encode_subject(name, result.message) if name in NAMING_CONCEPTS else b""
    message_digests = _digest_message(about, result.message)
    if text is not None and 0 < result.line <= text.last:
        context_digests, line_digest = text.digest_location(result.line, result.column, about)
    else:
        context_digests, line_digest = _digest_without_text(
            result, message_digests[:DIGEST_BYTES] if name.startswith(REVIEWER) else message_digests, about
        )
    if name.startswith(REVIEWER):
        message_digests = (
            _digest(_encode(name)) + message_digests[DIGEST_BYTES:]
        )  # two reviews word one problem differently: the line decides
    return LocatedResult(result, path, name, context_digests, line_digest, message_digests)


def make_fingerprint(located: LocatedResult, ordinal: int) -> str:
    """Return a permanent fingerprint; the ordinal distinguishes what looks alike in one file."""
    parts = (_encode(located.concept), _encode(located.path), located.context_digests, str(ordinal).encode())
    return _digest(b"\0".join(parts)).hex()


def _digest_without_text(result: ReportResult, message_digests: bytes, about: bytes) -> tuple[bytes, bytes]:
    if result.fingerprint:
        digest = _digest(b"given\0" + _encode(result.fingerprint))
        return digest + digest, digest
    squeezed = _encode(result.snippet).translate(_SAME_QUOTES, _DROPPED + b"\n")
    wide = _digest(squeezed + b"\0" + about if squeezed else b"said\0" + message_digests)
    return wide + wide, wide


def _digest_line(line: bytes) -> bytes:
    """Digest a line, one byte shorter if the line is too short to be distinctive."""
    return _digest(line) if len(line) >= MIN_DISTINCTIVE_BYTES else _digest(line)[:-1]


@lru_cache(maxsize=16_384)
def _encode_subject(concept: str, message: str) -> bytes:
    return _encode(find_subject(concept, message))


def _digest_message(about: bytes, message: str) -> bytes:
    """Digest the words, then the whole message: of two that differ in numbers, the identical one comes first."""
    if about:
        words = whole = _digest(about)
    else:
        words, whole = _digest_words_and_whole(message)
    return words + whole[:EXACT_BYTES]


def _digest_words_and_whole(message: str) -> tuple[bytes, bytes]:
    if len(message) > MOST_MESSAGE_CHARS:
        message = message[:MOST_MESSAGE_CHARS]
    data = _encode(message)
    whole = words = _digest(data.translate(None, _IGNORED_IN_MESSAGES))
    if "/" in message or len(data.translate(None, _DIGITS)) < len(data):
        words = _digest(_drop_variable_parts(message))
    return words, whole


@lru_cache(maxsize=16_384)
def _drop_variable_parts(message: str) -> bytes:
    """Remove what varies between runs and between machines."""
    return _encode(_NUMBERS.sub("", _FOLDERS.sub("/", message))).translate(None, _IGNORED_IN_MESSAGES)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _digest(data: bytes) -> bytes:
    """Digest with a cryptographic hash: the code is not trusted, and a collision can silence a finding."""
    hasher = _EMPTY_HASHER.copy()
    hasher.update(data)
    return hasher.digest()
