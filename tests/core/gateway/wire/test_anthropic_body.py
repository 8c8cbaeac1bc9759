"""What may stand in a request to Anthropic's Messages API, at any depth."""

import pytest

from reknit.core.gateway.wire.anthropic_body import DROPPED, FIELDS
from reknit.core.gateway.wire.shapes import find_refusal
from reknit.core.text.untrusted_input import Json

LINK: Json = {"type": "image", "source": {"type": "url", "url": "https://evil.test/x"}}


def said(block: Json) -> Json:
    return {"messages": [{"role": "user", "content": [block]}]}


def test_a_source_of_an_odd_kind_is_refused_and_raises_nothing() -> None:
    body = said({"type": "image", "source": {"type": []}})
    assert find_refusal(body, FIELDS) == "not allowed: messages.content.source.type []"


def test_blocks_inside_blocks_are_read_too() -> None:
    document: Json = {"type": "document", "source": {"type": "content", "content": [LINK]}}
    deep = said({"type": "tool_result", "content": [document]})
    assert find_refusal(deep, FIELDS) == "not allowed: messages.content.content.source.content.source.type url"


@pytest.mark.parametrize(
    ("citations", "why"),
    [
        pytest.param({"enabled": True}, "", id="whether they are wanted"),
        pytest.param([{"type": "char_location", "cited_text": "x"}], "", id="what a text cites"),
        pytest.param([{"type": "x", "file_id": "f"}], "not allowed: messages.content.citations.file_id", id="a file"),
        pytest.param({"url": "x"}, "not allowed: messages.content.citations.url", id="a setting that is not listed"),
    ],
)
def test_citations_have_two_shapes(citations: object, why: str) -> None:
    assert find_refusal(said({"type": "text", "text": "x", "citations": citations}), FIELDS) == why


def test_telemetry_is_not_among_the_fields() -> None:
    assert not DROPPED & FIELDS.keys()
