"""Walking a decoded request body."""

import pytest

from reknit.core.gateway.wire.nodes import DOCUMENT_TOKENS, IMAGE_TOKENS, Bulk, listed, objects, picture, whole


def test_every_object_is_found_at_any_depth() -> None:
    body = {"n": 1, "a": [{"n": 2}, [[{"n": 3}]], "text"], "b": {"n": 4}}
    assert sorted(str(each["n"]) for each in objects(body)) == ["1", "2", "3", "4"]
    assert list(objects("text")) == []


def test_the_agents_own_data_is_not_searched() -> None:
    body = {"n": 1, "input": {"n": 2, "deep": [{"n": 3}]}, "other": {"n": 4}}
    assert sorted(str(each["n"]) for each in objects(body, skip=frozenset({"input"}))) == ["1", "4"]


def test_a_deep_body_needs_no_deep_stack() -> None:
    body: object = {"n": 0}
    for _ in range(50_000):
        body = [body]
    assert list(objects(body)) == [{"n": 0}]


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
    assert listed(value) == found


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
    assert whole(value, least=least) == number
    assert type(whole(value, least=least)) is type(number)


def test_what_is_not_known_to_be_an_image_counts_as_a_document() -> None:
    assert picture("aGk=", "image/png") == Bulk("aGk=", IMAGE_TOKENS)
    assert picture("aGk=", None) == picture("aGk=", "application/pdf") == Bulk("aGk=", DOCUMENT_TOKENS)
