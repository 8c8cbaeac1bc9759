"""Digests of the text around a finding, which survive moved lines and reformatting."""

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
MAX_MESSAGE_CHARS = 2_000

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

    def digest_location(self, line: int, column: int, subject: bytes) -> tuple[bytes, bytes]:
        """Return the context digests and the line digest. `subject`: the name in the line that the message means."""
        stream, starts = self._stream, self._starts
        start = position = starts[line - 1]
        if column > 1:
            position += self._count_squeezed(line, self._to_byte_offset(line, column))
        after, before = stream[position : position + AFTER], stream[max(position - BEFORE, 0) : position]
        end = starts[line]
        line_text = stream[start : min(end, start + LONG_LINE_BYTES)]
        if subject:
            subject = self._find_alias(line, column) or subject
            line_text += b"\0" + subject
            if not after.startswith(subject):  # a tool that points at a statement may mean any name in it
                after, before = after + b"\0" + subject, before + b"\0" + subject
        return _digest(after) + _digest(before), _digest_line(line_text)

    def _find_alias(self, line: int, column: int) -> bytes:
        """Return the name at the location, if it is an alias that `as` introduces there."""
        text, at = self._lines[line - 1], self._to_byte_offset(line, max(column, 1))
        if not text[max(at - LONG_LINE_BYTES, 0) : at].rstrip().endswith((b" as", b"\tas")):
            return b""
        name = _NAME.match(text, at)
        return name[0] if name else b""

    def _count_squeezed(self, line: int, byte_count: int) -> int:
        """Count how many of the first `byte_count` bytes are not dropped. A long line is counted in parts, once."""
        text = self._lines[line - 1]
        if byte_count <= LONG_LINE_BYTES:
            return len(text[:byte_count].translate(None, _DROPPED))
        if line not in self._long:
            sizes = (
                len(text[start : start + LONG_LINE_BYTES].translate(None, _DROPPED))
                for start in range(0, len(text), LONG_LINE_BYTES)
            )
            self._long[line] = [0, *accumulate(sizes)]
        part = min(byte_count, len(text)) // LONG_LINE_BYTES
        return self._long[line][part] + len(text[part * LONG_LINE_BYTES : byte_count].translate(None, _DROPPED))

    def _to_byte_offset(self, line: int, column: int) -> int:
        if self._is_ascii or column > LONG_LINE_BYTES:  # a column in a machine-generated line need not be exact
            return column - 1
        return len(self._lines[line - 1].decode("utf-8", "replace")[: column - 1].encode())


def normalize_file(data: bytes | None) -> NormalizedFile | None:
    """Return the normalized file; None: there is no such file, or it is not text."""
    return None if data is None or b"\0" in data else NormalizedFile(data)


def locate_result(result: ReportResult, path: str, text: NormalizedFile | None) -> LocatedResult:
    """Locate a result. If the file's text is missing, use the tool's fingerprint, snippet or message instead."""
    concept = find_concept(result.tool, result.rule)
    subject = _encode_subject(concept, result.message) if concept in NAMING_CONCEPTS else b""
    message_digests = _digest_message(subject, result.message)
    if text is not None and 0 < result.line <= text.last:
        context_digests, line_digest = text.digest_location(result.line, result.column, subject)
    else:
        digests = message_digests[:DIGEST_BYTES] if concept.startswith(REVIEWER) else message_digests
        context_digests, line_digest = _digest_without_text(result, digests, subject)
    if concept.startswith(REVIEWER):  # two reviews word one problem differently, so its words do not count
        message_digests = _digest(_encode(concept)) + message_digests[DIGEST_BYTES:]
    return LocatedResult(result, path, concept, context_digests, line_digest, message_digests)


def make_fingerprint(located: LocatedResult, ordinal: int) -> str:
    """Return a permanent fingerprint; the ordinal distinguishes results that look alike in one file."""
    parts = (_encode(located.concept), _encode(located.path), located.context_digests, str(ordinal).encode())
    return _digest(b"\0".join(parts)).hex()


def _digest_without_text(result: ReportResult, message_digests: bytes, subject: bytes) -> tuple[bytes, bytes]:
    if result.fingerprint:
        digest = _digest(b"given\0" + _encode(result.fingerprint))
        return digest + digest, digest
    squeezed = _encode(result.snippet).translate(_SAME_QUOTES, _DROPPED + b"\n")
    context_digest = _digest(squeezed + b"\0" + subject if squeezed else b"said\0" + message_digests)
    return context_digest + context_digest, context_digest


def _digest_line(line: bytes) -> bytes:
    """Digest a line, one byte shorter if the line is too short to be distinctive."""
    return _digest(line) if len(line) >= MIN_DISTINCTIVE_BYTES else _digest(line)[:-1]


@lru_cache(maxsize=16_384)
def _encode_subject(concept: str, message: str) -> bytes:
    return _encode(find_subject(concept, message))


def _digest_message(subject: bytes, message: str) -> bytes:
    """Digest the words, then the whole message, so that an identical message is preferred to other numbers."""
    if subject:
        words = whole = _digest(subject)
    else:
        words, whole = _digest_words_and_whole(message)
    return words + whole[:EXACT_BYTES]


def _digest_words_and_whole(message: str) -> tuple[bytes, bytes]:
    message = message[:MAX_MESSAGE_CHARS]
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
