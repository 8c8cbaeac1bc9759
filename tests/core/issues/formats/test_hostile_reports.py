"""Input that somebody made to harm: every reader answers with results or with a ReportError, and soon."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.issues.formats.registry import FORMATS, READERS, Format
from reknit.core.issues.formats.report import ReportError

SAMPLES: dict[Format, str] = {
    "sarif": '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"T"}},"results":[{"message":{"text":X}}]}]}',
    "junit": "<testsuite><testcase name='t'><failure>X</failure></testcase></testsuite>",
    "checkstyle": "<checkstyle><file name='a'><error message='X'/></file></checkstyle>",
    "rdjson": '{"diagnostics":[{"message":X}]}',
    "rdjsonl": '{"message":X}',
    "ruff": '[{"filename":"a","message":X}]',
    "eslint": '[{"filePath":"a","messages":[{"message":X}]}]',
    "mypy": '{"file":"a","message":X}',
    "pyright": '{"generalDiagnostics":[{"message":X}],"summary":{"filesAnalyzed":1}}',
    "semgrep": '{"errors":[],"results":[{"check_id":"a","path":"b","extra":{"message":X}}]}',
    "reknit": '{"role":"review","problem":"","findings":['
    '{"category":"c","severity":"warning","file":"a","line":1,"issue":X}]}',
}
XML = ("junit", "checkstyle")
JSON = tuple(format_ for format_ in FORMATS if format_ not in XML)


def messages(format_: Format, value: str) -> list[str]:
    data = SAMPLES[format_].replace("X", value).encode("utf-8", "surrogatepass")
    return [found.message for found in READERS[format_](data).results]


@pytest.mark.parametrize("format_", FORMATS)
@given(data=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes(format_: Format, data: bytes) -> None:
    with contextlib.suppress(ReportError):
        list(READERS[format_](data).results)


@pytest.mark.parametrize("format_", FORMATS)
@given(data=st.data())
def test_any_damage(format_: Format, data: st.DataObject) -> None:
    sample = bytearray(SAMPLES[format_].replace("X", '"text"' if format_ in JSON else "text").encode())
    for place in data.draw(st.lists(st.integers(0, len(sample) - 1), min_size=1, max_size=4)):
        sample[place] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ReportError):
        list(READERS[format_](bytes(sample)).results)


@pytest.mark.parametrize("format_", JSON)
@pytest.mark.parametrize(
    "value",
    [
        pytest.param("[" * 200_000, id="deep-and-open"),
        pytest.param("[" * 200_000 + "]" * 200_000, id="deep"),
        pytest.param('{"a":' * 200_000, id="deep-objects"),
        pytest.param("9" * 1_000_000, id="a-huge-number"),
        pytest.param("1e999999", id="a-number-out-of-range"),
        pytest.param('"\udc80"', id="half-a-character"),
        pytest.param('"a', id="an-open-text"),
    ],
)
def test_json_that_breaks_readers(format_: Format, value: str) -> None:
    with pytest.raises(ReportError):
        messages(format_, value)


@pytest.mark.parametrize("format_", JSON)
def test_depth_in_a_part_that_nobody_reads(format_: Format) -> None:
    deep = '"m","unread":' + "[" * 200_000 + "]" * 200_000
    with pytest.raises(ReportError, match="nested too deeply"):
        messages(format_, deep)


@pytest.mark.parametrize("format_", XML)
def test_xml_that_breaks_readers(format_: Format) -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    for data in (laughs + SAMPLES[format_], laughs.replace("ENTITY a", "ENTITY % a") + SAMPLES[format_]):
        with pytest.raises(ReportError, match="entity"):
            list(READERS[format_](data.encode()).results)
    outside = '<!DOCTYPE x SYSTEM "file:///etc/passwd">' + SAMPLES[format_]
    assert [found.message for found in READERS[format_](outside.encode()).results] == ["X"]


@pytest.mark.parametrize("format_", FORMATS)
def test_messages_are_cleaned_and_cut(format_: Format) -> None:
    text = "a\u202eb\u200bc" + "x" * 10_000
    (message,) = messages(format_, json.dumps(text) if format_ in JSON else text)
    assert message == "abc" + "x" * 3997


@pytest.mark.parametrize("format_", JSON)
def test_terminal_escapes_are_taken_out(format_: Format) -> None:
    assert messages(format_, json.dumps("a\x1b]0;owned\x07b\x1b[2Jc\x00d\x08")) == ["abcd"]
