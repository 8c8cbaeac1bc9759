"""JSON from the box: bounded before it is parsed, and read only if it means the same to everybody."""

import json

import pytest

from reknit.core.gate.judge import refuse_unread
from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import GateVerdict, Refusal, is_unfinished
from reknit.core.repository.change import Change
from reknit.core.runs.attempt_events import report_gate
from reknit.core.text import untrusted_input as xml_stream
from reknit.core.text.untrusted_input import (
    GATE_LIMITS,
    IMPORT_LIMITS,
    MAX_DEPTH,
    MAX_VALUES,
    TEST_REPORT_LIMITS,
    UnfinishedWork,
    XmlError,
    encode_object,
    feed_parser,
    is_bounded,
    make_parser,
    parse_object,
)
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
    assert parse_object(body) is None


def test_what_is_decoded_can_be_encoded_again() -> None:
    content = {"a": 1.5, "b": "h\u00e9 \ud800", "c": [None, True]}
    assert parse_object(encode_object(content)) == content == json.loads(encode_object(content))


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


@pytest.mark.slow
@pytest.mark.parametrize("unit", [b"{},", b'"":0,', b'""', b'"\\n', b"\\", b" ", b"1", b"a", b"]", b"[", b":", b"\xff"])
def test_counting_takes_one_pass_whatever_the_bytes_are(unit: bytes) -> None:
    """The worst of each kind at the size of the largest body; quadratic time would take hours."""
    body = b'{"a":' + unit * (16 * MEGABYTE // len(unit))
    with quickly():
        is_bounded(body)


def test_a_body_out_of_bounds_is_not_parsed() -> None:
    body = b'{"messages":[' + b"{}," * (2 * MAX_VALUES) + b"{}]}"
    assert json.loads(body)  # it is valid JSON, so the bound alone refuses it
    assert parse_object(body) is None


def test_a_long_text_is_fine_and_a_long_tag_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_stream, "PIECE_BYTES", 1_000)
    monkeypatch.setattr(xml_stream, "MAX_TAG_BYTES", 10_000)
    filler = b"x" * 50_000
    for text in (b"<a>" + filler + b"</a>", b"<a><![CDATA[" + filler + b"]]></a>", b"<b/>".join([b"<a>", b"</a>"])):
        for _ in feed_parser(make_parser(), text):
            pass
    for tag in (b'<a b="' + filler + b'"/>', b"<a><!--" + filler + b"--></a>", b"<" + filler + b"/>"):
        with pytest.raises(XmlError, match="a tag of many megabytes"):
            for _ in feed_parser(make_parser(), tag):
                pass


def test_deep_nesting_is_no_hang() -> None:
    for _ in feed_parser(make_parser(), b"<a>" * 100_000 + b"</a>" * 100_000):
        pass


SCOPE = Scope((), "", 20, 400, "pytest")


def test_a_gate_that_did_not_finish_has_refused_and_names_what_was_not_read_at_all() -> None:
    change = Change((), ((".", "more than 50 MB of changes"),))
    verdict = refuse_unread(change, SCOPE, UnfinishedWork("took longer than 30 s"))
    assert not verdict.is_accepted
    assert [refusal.rule for refusal in verdict.refusals] == ["unreadable", "unsafe-entry"]
    assert "could not finish: reading the change took longer than 30 s" in verdict.refusals[0].sentence
    assert "more than 50 MB of changes" in verdict.refusals[1].sentence
    assert "could not finish" in report_gate(1, verdict).text


def test_it_can_be_told_from_a_gate_that_read_everything() -> None:
    assert is_unfinished(refuse_unread(Change(()), SCOPE, UnfinishedWork("took longer than 30 s")))
    read = GateVerdict((Refusal("secret", "a.py", "a secret"),), rules=("secret",), files=1, added=1, removed=0)
    assert not is_unfinished(read)


def test_every_limit_is_a_limit() -> None:
    for limits in (GATE_LIMITS, TEST_REPORT_LIMITS, IMPORT_LIMITS):
        assert 0 < limits.wall_s <= 300
        assert 0 < limits.memory_bytes <= 8 << 30
