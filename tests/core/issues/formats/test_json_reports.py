import codecs

import msgspec
import pytest

from reknit.core.issues.formats.json_reports import decode_document, decode_each, decode_lines, to_plain_utf_8
from reknit.core.issues.formats.report import ReportError

NUMBERS = msgspec.json.Decoder(list[int])
TEXT = '[{"é": 1}]'


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    ],
    ids=["none", "utf-8", "utf-16-le", "utf-16-be"],
)
def test_byte_order_marks(data: bytes) -> None:
    assert bytes(to_plain_utf_8(data)) == TEXT.encode()
    assert bytes(to_plain_utf_8(memoryview(data))) == TEXT.encode()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (codecs.BOM_UTF16_LE + b"x", "begins as UTF-16"),
        (b"", "it cannot be read"),
        (b"[1,", "it cannot be read"),
        (b'["a"]', r"it cannot be read: Expected `int`, got `str` - at `\$\[0\]`"),
        (b"[" + b"9" * 5000 + b"]", "it cannot be read"),
    ],
)
def test_faults_of_a_document(data: bytes, why: str) -> None:
    with pytest.raises(ReportError, match=why):
        decode_document(NUMBERS, data)


def test_depth_is_a_fault() -> None:
    deep = b"[" * 100_000
    raw = msgspec.json.Decoder(msgspec.Raw)
    with pytest.raises(ReportError, match="it is nested too deeply"):
        decode_document(raw, deep)
    with pytest.raises(ReportError, match="it is nested too deeply"):
        decode_lines(b"{}\n" + deep)
    with pytest.raises(ReportError, match="result 1 is nested too deeply"):
        list(decode_each(raw, [msgspec.Raw(deep)]))


def test_text_that_is_none() -> None:
    with pytest.raises(ReportError, match="result 2 cannot be read"):
        list(decode_each(msgspec.json.Decoder(str), [msgspec.Raw(b'"a"'), msgspec.Raw(b'"\xff"')]))


def test_lines() -> None:
    assert [bytes(line) for line in decode_lines(codecs.BOM_UTF8 + b'{"a":1}\r\n\n [2] \n')] == [b'{"a":1}', b"[2]"]
