"""JSON from the box: bounded before it is parsed, and read only if it means the same to everybody."""

import json

import pytest

from reknit.core.text.json_body import MAX_DEPTH, MAX_VALUES, decoded, encoded, is_bounded
from tests.tools.work import quickly

MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"hello", id="no JSON"),
        pytest.param(b"[]", id="no object"),
        pytest.param(b"\xff\xfe{\x00}\x00", id="another encoding"),
        pytest.param(b'{"tools": [{"type": "web_fetch_1"}], "tools": []}', id="a name given twice"),
        pytest.param(b'{"a": NaN}', id="a number that is none"),
        pytest.param(b'{"a": 1e999}', id="a number out of range"),
        pytest.param(b'{"messages": ' + b"[" * 200_000, id="a body nested without end"),
    ],
)
def test_a_body_that_cannot_be_read_with_certainty_is_none(body: bytes) -> None:
    assert decoded(body) is None


def test_what_is_decoded_can_be_encoded_again() -> None:
    content = {"a": 1.5, "b": "h\u00e9 \ud800", "c": [None, True]}
    assert decoded(encoded(content)) == content == json.loads(encoded(content))


@pytest.mark.parametrize(
    ("body", "bounded"),
    [
        pytest.param(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, True, id="as deep as allowed"),
        pytest.param(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), False, id="deeper"),
        pytest.param(b'{"a":' * (MAX_DEPTH + 1), False, id="objects in objects"),
        pytest.param(b"[],[]" * 1000, True, id="what is closed is not deep"),
        pytest.param(b"]", False, id="closed before it is open"),
        pytest.param(b"[" + b",".join([b"1"] * MAX_VALUES) + b"]", True, id="as many values as allowed"),
        pytest.param(b"[" + b",".join([b"1"] * (MAX_VALUES + 1)) + b"]", False, id="more values"),
        pytest.param(b'["' + b"[{,}]" * MAX_VALUES + b'"]', True, id="brackets in a text are text"),
        pytest.param(b'["' + b'\\"[' * MAX_VALUES + b'"]', True, id="an escaped quote does not end a text"),
        pytest.param(b'["\\\\",' + b"[" * (MAX_DEPTH + 1), False, id="an escaped backslash before the quote does"),
        pytest.param(b'"abc', True, id="a text without an end"),
        pytest.param(b'"abc\\', True, id="a text that ends in a backslash"),
    ],
)
def test_depth_and_values_are_counted_outside_of_texts(body: bytes, bounded: bool) -> None:
    assert is_bounded(body) is bounded


@pytest.mark.parametrize("unit", [b"{},", b'"":0,', b'""', b'"\\n', b"\\", b" ", b"1", b"a", b"]", b"[", b":", b"\xff"])
def test_counting_takes_one_pass_whatever_the_bytes_are(unit: bytes) -> None:
    """The worst of each kind at the size of the largest body; quadratic time would take hours."""
    body = b'{"a":' + unit * (16 * MEGABYTE // len(unit))
    with quickly():
        is_bounded(body)


def test_a_body_out_of_bounds_is_not_parsed() -> None:
    body = b'{"messages":[' + b"{}," * (2 * MAX_VALUES) + b"{}]}"
    assert json.loads(body)  # it is valid JSON, so the bound alone refuses it
    assert decoded(body) is None
