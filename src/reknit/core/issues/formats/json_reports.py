"""Reads JSON reports: splits them into raw results without a copy and decodes one at a time."""

import codecs
import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from reknit.core.issues.formats.report import ReportError, quote_start
from reknit.core.text.untrusted_input import Data

T = TypeVar("T")

FAULTS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_LINES = msgspec.json.Decoder(msgspec.Raw)
_CHUNK_BYTES = 1 << 20
_BYTE_OFFSET = re.compile(r"\(byte (\d+)\)")
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def to_plain_utf_8(data: Data) -> Data:
    """Return the data as UTF-8, without the byte order mark that tools on Windows write."""
    head = bytes(data[:3])
    if head == codecs.BOM_UTF8:
        return memoryview(data)[3:]
    if not head.startswith(_UTF_16_MARKS):
        return data
    try:
        return bytes(data).decode("utf-16").encode()
    except UnicodeError as error:
        raise ReportError(f"it begins as UTF-16 but continues as something else: {error}") from error


def decode_document(decoder: "msgspec.json.Decoder[T]", data: Data) -> T:
    """Decode the whole report; any fault becomes a ReportError."""
    plain = to_plain_utf_8(data)
    try:
        return decoder.decode(plain)
    except FAULTS as error:
        raise make_report_error("it", error, plain) from error


def decode_lines(data: Data) -> list[msgspec.Raw]:
    """Split a report with one JSON value per line; blank lines are skipped."""
    plain = to_plain_utf_8(data)
    try:
        return _LINES.decode_lines(plain)
    except FAULTS as error:
        raise make_report_error("it", error, plain) from error


def find_fault(data: Data) -> str:
    """Return the first place that is not JSON; empty: the data is one value, or one per line."""
    try:
        plain = to_plain_utf_8(data)
        _LINES.decode_lines(plain)
    except RecursionError:
        return "it is nested too deeply"
    except ReportError as problem:
        return problem.message
    except FAULTS as error:
        return _describe_fault(error, plain)
    return ""


def decode_each(decoder: "msgspec.json.Decoder[T]", results: Sequence[msgspec.Raw]) -> Iterator[T]:
    """Decode one result at a time, so that a million are never in memory at once."""
    for number, raw in enumerate(results, 1):
        try:
            result = decoder.decode(raw)
        except FAULTS as error:
            raise make_report_error(f"result {number}", error) from error
        yield result


def make_report_error(part: str, error: Exception, data: Data = b"") -> ReportError:
    """Return the ReportError for a fault. `data`: the whole input, to name the place of the fault."""
    if isinstance(error, RecursionError):
        return ReportError(f"{part} is nested too deeply to be a report")
    return ReportError(f"{part} cannot be read: {_describe_fault(error, data)}")


def _describe_fault(error: Exception, data: Data) -> str:
    if not data:
        return str(error)
    if "truncated" in str(error):
        tail = bytes(data[-_CHUNK_BYTES:])
        line = _find_line(data, len(data) - len(tail) + len(tail.rstrip()))
        return f"it ends unexpectedly after {len(data)} bytes, on line {line}"
    match = _BYTE_OFFSET.search(str(error))
    if match is None:
        return str(error)
    offset = int(match[1])
    return f"{error}, on line {_find_line(data, offset)} at {quote_start(bytes(data[offset : offset + 400]))!r}"


def _find_line(data: Data, offset: int) -> int:
    """Return the line of a byte. It counts in chunks, because a report may be as large as memory."""
    starts = range(0, offset, _CHUNK_BYTES)
    return 1 + sum(bytes(data[start : min(start + _CHUNK_BYTES, offset)]).count(b"\n") for start in starts)
