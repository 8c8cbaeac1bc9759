"""What OpenAI's two wires have in common."""

import pytest

from reknit.core.gateway.wire.openai_content import find_vendor_refusal, list_bulks, read_error, read_model
from reknit.core.gateway.wire.shapes import DOCUMENT_TOKENS, IMAGE_TOKENS, Bulk
from reknit.core.text.untrusted_input import Json


@pytest.mark.parametrize(
    ("content", "allow_search", "why"),
    [
        pytest.param({"store": False, "service_tier": "default"}, False, "", id="nothing dear"),
        pytest.param({"service_tier": None}, False, "", id="no tier"),
        pytest.param({"service_tier": "Priority"}, True, "not in the price list: service_tier Priority", id="a tier"),
        pytest.param({"model": "o3-DEEP-research"}, False, "a model that searches is not allowed: o3-DEEP-research",
                     id="in any case"),
        pytest.param({"model": "o3-deep-research"}, True, "", id="search is allowed"),
        pytest.param({"store": 1, "service_tier": "x"}, True, "not allowed: store", id="the first reason is told"),
    ],
)  # fmt: skip
def test_what_costs_more_than_the_list_price_is_refused(content: Json, allow_search: bool, why: str) -> None:
    assert find_vendor_refusal(content, allow_search=allow_search) == why


def test_a_schema_of_a_tool_holds_no_picture() -> None:
    content: Json = {"tools": [{"parameters": {"image_url": "x"}}], "input": [{"parameters": {"file_data": "x"}}]}
    assert list(list_bulks(content)) == []


def test_an_address_that_is_no_text_is_not_counted_and_empty_data_neither() -> None:
    assert list(list_bulks([{"image_url": {"url": 7}}, {"image_url": None}, {"file_data": ""}])) == []
    both = list(list_bulks({"image_url": "data:x", "file_data": "cGRm"}))
    assert both == [Bulk("data:x", IMAGE_TOKENS), Bulk("cGRm", DOCUMENT_TOKENS)]


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        pytest.param({"code": 503, "type": "rate_limit_error"}, 503, id="a number comes first"),
        pytest.param({"code": "new", "type": "rate_limit_error"}, 429, id="then the type"),
        pytest.param({"code": "usage_limit_reached", "type": "server_error"}, 429, id="but after a known code"),
        pytest.param({}, 0, id="nothing is known"),
    ],
)
def test_the_status_that_an_error_stands_for(problem: Json, status: int) -> None:
    assert read_error(problem).status == status


def test_a_model_that_is_not_named_is_empty() -> None:
    assert (read_model("/v1/responses", {"model": None}), read_model("/v1/responses", {"model": 5})) == ("", "5")
