"""JSON reports: split into raw results without a copy, then one decoded at a time, each fault a ReportProblem."""

import codecs
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from reknit.core.parsers.report import Data, ReportProblem

T = TypeVar("T")

FAULTS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_LINES = msgspec.json.Decoder(msgspec.Raw)
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def plain_utf_8(data: Data) -> Data:
    """Without a byte order mark, which tools on Windows write."""
    head = bytes(data[:3])
    if head == codecs.BOM_UTF8:
        return memoryview(data)[3:]
    if not head.startswith(_UTF_16):
        return data
    try:
        return bytes(data).decode("utf-16").encode()
    except UnicodeError as error:
        raise ReportProblem(f"it begins as UTF-16 and goes on as something else: {error}") from error


def document(decoder: "msgspec.json.Decoder[T]", data: Data) -> T:
    try:
        return decoder.decode(plain_utf_8(data))
    except FAULTS as error:
        raise problem("it", error) from error


def lines(data: Data) -> list[msgspec.Raw]:
    """One JSON value a line; blank lines are none."""
    try:
        return _LINES.decode_lines(plain_utf_8(data))
    except FAULTS as error:
        raise problem("it", error) from error


def each(decoder: "msgspec.json.Decoder[T]", results: Sequence[msgspec.Raw]) -> Iterator[T]:
    """Each is dropped before the next one is made, so that a million never stand in memory."""
    for number, raw in enumerate(results, 1):
        try:
            result = decoder.decode(raw)
        except FAULTS as error:
            raise problem(f"result {number}", error) from error
        yield result


def problem(part: str, error: Exception) -> ReportProblem:
    if isinstance(error, RecursionError):
        return ReportProblem(f"{part} is nested too deeply to be a report")
    return ReportProblem(f"{part} cannot be read: {error}")
