"""What may stand in a request to OpenAI's Responses API: items, tools, and tools inside tools."""

import pytest

from reknit.core.gateway.wire.openai_body import DROPPED, FIELDS
from reknit.core.gateway.wire.shapes import refusal
from reknit.core.text.json_body import Json


def test_something_the_vendor_keeps_is_not_named_by_its_id() -> None:
    assert refusal({"input": [{"id": "msg_1"}]}, FIELDS) == "not allowed: input.type None"
    assert refusal({"input": [{"role": "user", "content": "hi"}]}, FIELDS) == ""


@pytest.mark.parametrize(
    ("tool", "why"),
    [
        pytest.param({"type": "web_search_2031_01_01", "external_web_access": False}, "", id="any version of search"),
        pytest.param({"type": "web_search", "server_url": "x"}, "not allowed: tools.server_url", id="not any field"),
        pytest.param(
            {"type": "local_shell", "container": "x"}, "not allowed: tools.container", id="a tool without fields"
        ),
        pytest.param(
            {"type": "namespace", "name": "n", "tools": [{"type": "namespace", "tools": [{"type": "mcp"}]}]},
            "not allowed: tools.tools.tools.type mcp",
            id="tools inside tools",
        ),
    ],
)
def test_a_tool_has_the_fields_of_its_kind(tool: Json, why: str) -> None:
    assert refusal({"tools": [tool]}, FIELDS) == why


def test_a_search_that_ran_before_is_data() -> None:
    action: Json = {"type": "search", "query": "q", "queries": ["q"], "sources": [{"type": "url", "url": "https://x"}]}
    assert refusal({"input": [{"type": "web_search_call", "id": "ws_1", "action": action}]}, FIELDS) == ""


def test_statistics_are_not_among_the_fields() -> None:
    assert not DROPPED & FIELDS.keys()
