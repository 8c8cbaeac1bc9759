"""JSON reports: split into raw results without a copy, then decoded one at a time; every fault is a ReportProblem."""

import codecs
import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from reknit.core.issues.formats.bounds import first_words
from reknit.core.issues.formats.report import ReportProblem
from reknit.core.text.xml_stream import Data

T = TypeVar("T")

FAULTS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_LINES = msgspec.json.Decoder(msgspec.Raw)
_PART = 1 << 20
_BYTE = re.compile(r"\(byte (\d+)\)")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def plain_utf_8(data: Data) -> Data:
    """The data as UTF-8, without the byte order mark that tools on Windows write."""
    head = bytes(data[:3])
    if head == codecs.BOM_UTF8:
        return memoryview(data)[3:]
    if not head.startswith(_UTF_16):
        return data
    try:
        return bytes(data).decode("utf-16").encode()
    except UnicodeError as error:
        raise ReportProblem(f"it begins as UTF-16 but continues as something else: {error}") from error


def document(decoder: "msgspec.json.Decoder[T]", data: Data) -> T:
    plain = plain_utf_8(data)
    try:
        return decoder.decode(plain)
    except FAULTS as error:
        raise problem("it", error, plain) from error


def lines(data: Data) -> list[msgspec.Raw]:
    """One JSON value per line; blank lines are skipped."""
    plain = plain_utf_8(data)
    try:
        return _LINES.decode_lines(plain)
    except FAULTS as error:
        raise problem("it", error, plain) from error


def broken(data: Data) -> str:
    """Where it is not JSON; empty: it is, as one value or one per line."""
    try:
        plain = plain_utf_8(data)
        _LINES.decode_lines(plain)
    except RecursionError:
        return "it is nested too deeply"
    except ReportProblem as problem_:
        return problem_.what
    except FAULTS as error:
        return _fault(error, plain)
    return ""


def each(decoder: "msgspec.json.Decoder[T]", results: Sequence[msgspec.Raw]) -> Iterator[T]:
    """Each result is dropped before the next is decoded, so that a million are never in memory at once."""
    for number, raw in enumerate(results, 1):
        try:
            result = decoder.decode(raw)
        except FAULTS as error:
            raise problem(f"result {number}", error) from error
        yield result


def problem(part: str, error: Exception, data: Data = b"") -> ReportProblem:
    """`data`: the whole input, if the location of the fault is useful."""
    if isinstance(error, RecursionError):
        return ReportProblem(f"{part} is nested too deeply to be a report")
    return ReportProblem(f"{part} cannot be read: {_fault(error, data)}")


def _fault(error: Exception, data: Data) -> str:
    if not data:
        return str(error)
    if "truncated" in str(error):
        tail = bytes(data[-_PART:])
        line = _line_of(data, len(data) - len(tail) + len(tail.rstrip()))
        return f"it ends unexpectedly after {len(data)} bytes, on line {line}"
    at = _BYTE.search(str(error))
    if at is None:
        return str(error)
    place = int(at[1])
    return f"{error}, on line {_line_of(data, place)} at {first_words(bytes(data[place : place + 400]))!r}"


def _line_of(data: Data, place: int) -> int:
    """Counts in parts: a report may be as large as memory."""
    parts = range(0, place, _PART)
    return 1 + sum(bytes(data[at : min(at + _PART, place)]).count(b"\n") for at in parts)
