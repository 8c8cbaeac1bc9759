"""Allow-lists: the first field that is not listed is named, with the way to it."""

from collections.abc import Mapping

import pytest

from reknit.core.gateway.wire.shapes import (
    DOCUMENT_TOKENS,
    IMAGE_TOKENS,
    Bulk,
    Check,
    Fields,
    anything,
    data,
    drop_unlisted,
    embedded,
    fields,
    find_refusal,
    many,
    plain,
    plain_fields,
    plains,
    read_number,
    read_objects,
    text_or,
    to_bulk,
    typed,
    walk_objects,
)
from reknit.core.text.untrusted_input import Json

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
    assert find_refusal(content, ALLOWED) == why


def test_a_long_name_is_cut_in_the_answer() -> None:
    assert len(find_refusal({"x" * 10_000: 1}, ALLOWED)) < 100


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
    assert drop_unlisted(content, ALLOWED, frozenset({"trace"})) == {"name": "", "zero": 0, "no": False, "odd": "x"}


def test_every_object_is_found_at_any_depth() -> None:
    body = {"n": 1, "a": [{"n": 2}, [[{"n": 3}]], "text"], "b": {"n": 4}}
    assert sorted(str(each["n"]) for each in walk_objects(body)) == ["1", "2", "3", "4"]
    assert list(walk_objects("text")) == []


def test_the_agents_own_data_is_not_searched() -> None:
    body = {"n": 1, "input": {"n": 2, "deep": [{"n": 3}]}, "other": {"n": 4}}
    assert sorted(str(each["n"]) for each in walk_objects(body, skip=frozenset({"input"}))) == ["1", "4"]


def test_a_deep_body_needs_no_deep_stack() -> None:
    body: object = {"n": 0}
    for _ in range(50_000):
        body = [body]
    assert list(walk_objects(body)) == [{"n": 0}]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        pytest.param(None, [], id="nothing"),
        pytest.param([], [], id="empty"),
        pytest.param([{"a": 1}], [{"a": 1}], id="objects"),
        pytest.param([{"a": 1}, "b"], None, id="one that is none"),
        pytest.param({"a": 1}, None, id="an object in the place of a list"),
        pytest.param("", None, id="an empty text is no list"),
    ],
)
def test_a_list_of_objects(value: object, found: object) -> None:
    assert read_objects(value) == found


@pytest.mark.parametrize(
    ("value", "least", "number"),
    [
        pytest.param(1, 1, 1, id="the least"),
        pytest.param(0, 1, None, id="below it"),
        pytest.param(0, 0, 0, id="zero where it is allowed"),
        pytest.param(True, 1, None, id="a truth value is no number"),
        pytest.param(1.0, 1, None, id="a fraction"),
        pytest.param("1", 1, None, id="text"),
    ],
)
def test_a_whole_number(value: object, least: int, number: int | None) -> None:
    assert read_number(value, least=least) == number
    assert type(read_number(value, least=least)) is type(number)


def test_what_is_not_known_to_be_an_image_counts_as_a_document() -> None:
    assert to_bulk("aGk=", "image/png") == Bulk("aGk=", IMAGE_TOKENS)
    assert to_bulk("aGk=", None) == to_bulk("aGk=", "application/pdf") == Bulk("aGk=", DOCUMENT_TOKENS)
