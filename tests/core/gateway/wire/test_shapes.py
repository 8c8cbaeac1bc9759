"""Allow-lists: the first field that is not listed is named, with the way to it."""

from collections.abc import Mapping

import pytest

from reknit.core.gateway.wire.shapes import (
    Check,
    Fields,
    anything,
    data,
    embedded,
    fields,
    known,
    many,
    plain,
    plain_fields,
    plains,
    refusal,
    text_or,
    typed,
)
from reknit.core.text.json_body import Json

ALLOWED: Fields = {"name": plain, "parts": many(plain_fields("text")), "own": anything}


@pytest.mark.parametrize(
    ("check", "value", "problem"),
    [
        pytest.param(plain, 1.5, "", id="a number is plain"),
        pytest.param(plain, [], "(not a plain value)", id="a list is not"),
        pytest.param(plains, ["a", None, True], "", id="several plain values"),
        pytest.param(plains, ["a", {}], "(not a plain value)", id="one of them is an object"),
        pytest.param(embedded, "data:image/png;base64,aGk=", "", id="content in the address"),
        pytest.param(embedded, "https://evil.test/data:", "(not a data: URL)", id="an address to fetch"),
        pytest.param(embedded, 7, "(not a data: URL)", id="a number is no address"),
        pytest.param(data, "aGk=", "", id="inline content"),
        pytest.param(data, " file://x", "(not inline content)", id="an address of any scheme"),
        pytest.param(data, ["aGk="], "(not inline content)", id="content in a list"),
        pytest.param(text_or(many(plain)), "x", "", id="text instead of a list"),
        pytest.param(text_or(many(plain)), 7, "(not a list)", id="neither"),
    ],
)
def test_a_value_has_its_shape(check: Check, value: object, problem: str) -> None:
    assert check(value) == problem


@pytest.mark.parametrize(
    ("content", "why"),
    [
        pytest.param({"name": "x", "parts": [{"text": "a"}], "own": {"any": ["thing"]}}, "", id="all is listed"),
        pytest.param({"other": 1}, "not allowed: other", id="at the top"),
        pytest.param({"parts": [{"text": "a"}, {"url": "x"}]}, "not allowed: parts.url", id="below a list"),
        pytest.param({"name": {}}, "not allowed: name (not a plain value)", id="a wrong value"),
        pytest.param({"parts": ["a"]}, "not allowed: parts (not an object)", id="text where an object belongs"),
        pytest.param({"first": 1, "name": {}}, "not allowed: first", id="the first problem only"),
    ],
)
def test_a_refusal_names_the_way_to_the_field(content: Json, why: str) -> None:
    assert refusal(content, ALLOWED) == why


def test_a_long_name_is_cut_in_the_answer() -> None:
    assert len(refusal({"x" * 10_000: 1}, ALLOWED)) < 100


def test_two_names_that_a_vendor_reads_as_one_are_refused() -> None:
    check = fields({"name": plain}, spelling=str.lower)
    assert (check({"NAME": 1}), check({"NAME": 1, "name": 2})) == ("", "(a name is given twice)")


KINDS: Mapping[str, Fields] = {"text": {"text": plain}, "call": {"input": anything}}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        pytest.param({"type": "text", "text": "x"}, "", id="a field of its kind"),
        pytest.param({"type": "text", "input": {}}, "input", id="a field of another kind"),
        pytest.param({"type": "other"}, "type other", id="a kind that is not listed"),
        pytest.param({"type": ["text"]}, "type ['text']", id="a kind that is no text"),
        pytest.param({"text": "x"}, "type None", id="no kind"),
        pytest.param(None, "(not an object)", id="nothing, where a list is null it is empty"),
    ],
)
def test_the_fields_depend_on_the_kind(value: object, problem: str) -> None:
    assert typed(KINDS)(value) == problem


def test_only_telemetry_and_empty_fields_are_taken_out() -> None:
    content: Json = {"name": "", "trace": {"id": 1}, "unset": None, "zero": 0, "no": False, "odd": "x"}
    assert known(content, ALLOWED, frozenset({"trace"})) == {"name": "", "zero": 0, "no": False, "odd": "x"}
