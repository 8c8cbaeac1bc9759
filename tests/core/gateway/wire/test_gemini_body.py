"""What may stand in a request to the Gemini API, in either spelling."""

import pytest

from reknit.core.gateway.wire.gemini_body import DROPPED, FIELDS, camel
from reknit.core.gateway.wire.shapes import refusal
from reknit.core.text.json_body import Json


def refused(content: Json) -> str:
    return refusal(content, FIELDS, spelling=camel)


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("inline_data", "inlineData"),
        ("inlineData", "inlineData"),
        ("parameters_json_schema", "parametersJsonSchema"),
        ("_x", "X"),
        ("top_", "top_"),
        ("top_K", "top_K"),
    ],
)
def test_a_name_in_snake_case_is_the_listed_one(name: str, listed: str) -> None:
    assert camel(name) == listed


def test_a_name_in_two_spellings_is_refused() -> None:
    twice: Json = {"contents": [{"parts": [{"inlineData": {}, "inline_data": {}}]}]}
    assert refused(twice) == "not allowed: contents.parts (a name is given twice)"


def test_a_request_that_is_counted_is_read_like_one_that_is_sent() -> None:
    link: Json = {"contents": [{"parts": [{"file_data": {"file_uri": "https://evil.test"}}]}]}
    assert refused(link) == "not allowed: contents.parts.fileData"
    assert refused({"generateContentRequest": link}) == "not allowed: generateContentRequest.contents.parts.fileData"
    inside: Json = {"generateContentRequest": {"generateContentRequest": {}}}
    assert refused(inside) == "not allowed: generateContentRequest.generateContentRequest"


def test_statistics_are_not_among_the_fields() -> None:
    assert not DROPPED & FIELDS.keys()
