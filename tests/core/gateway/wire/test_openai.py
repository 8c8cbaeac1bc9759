"""OpenAI's Responses wire: what may pass, how it is capped, and what its answers tell."""

import pytest

from reknit.core.gateway.metering import AnswerFacts, Tokens
from reknit.core.gateway.wire import openai
from reknit.core.gateway.wire.openai import DROPPED, FIELDS
from reknit.core.gateway.wire.shapes import BUILT_IN_TOOL_TOKENS, DOCUMENT_TOKENS, IMAGE_TOKENS, Bulk, find_refusal
from reknit.core.text.untrusted_input import Json

FUNCTION = {"type": "function", "name": "f", "parameters": {"properties": {"file_id": {"type": "string"}}}}
SEARCH = {"type": "web_search"}


def said(*parts: object) -> Json:
    return {"input": [{"type": "message", "role": "user", "content": list(parts)}]}


def added(*tools: object) -> Json:
    """As codex gives its tools to newer models."""
    return {"input": [{"type": "additional_tools", "role": "developer", "tools": list(tools)}]}


def space(*tools: object) -> Json:
    return {"type": "namespace", "name": "mcp__x", "tools": list(tools)}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"model": "gpt-5.5", "input": "hello", "store": False}, id="no tools"),
        pytest.param(
            {"tools": [FUNCTION, {"type": "custom", "name": "exec"}, {"type": "local_shell"}]}, id="tools of the client"
        ),
        pytest.param({"tools": [{"type": "tool_search", "execution": "client"}]}, id="a search among its own tools"),
        pytest.param({"tools": [space(FUNCTION)]}, id="a namespace"),
        pytest.param(added(FUNCTION, space(FUNCTION)), id="tools inside the input"),
        pytest.param({"service_tier": "flex"}, id="a cheaper tier"),
        pytest.param(
            said({"type": "input_image", "image_url": "data:image/png;base64,aGk="}), id="an image in the body"
        ),
        pytest.param(said({"type": "input_text", "text": "file_id"}), id="words"),
    ],
)
def test_a_body_that_stays_between_agent_and_model_passes(content: Json) -> None:
    assert openai.find_refusal(content, allow_search=False) == ""


@pytest.mark.parametrize(
    ("content", "word"),
    [
        pytest.param({"store": True}, "store", id="a stored answer"),
        pytest.param({"previous_response_id": "resp_1"}, "previous_response_id", id="a stored conversation"),
        pytest.param({"conversation": "conv_1"}, "conversation", id="another stored conversation"),
        pytest.param({"background": True}, "background", id="an answer that goes on alone"),
        pytest.param({"prompt": {"id": "pmpt_1"}}, "prompt", id="a stored prompt"),
        pytest.param({"service_tier": "priority"}, "service_tier priority", id="a dearer tier"),
        pytest.param({"model": "gpt-4o-search-preview"}, "searches", id="a model that searches by itself"),
        pytest.param({"tools": "all"}, "not a list", id="tools that are no list"),
        pytest.param({"tools": [FUNCTION, {"type": "mcp", "server_url": "x"}]}, "mcp", id="remote MCP"),
        pytest.param({"tools": [{"type": "code_interpreter"}]}, "code_interpreter", id="code execution"),
        pytest.param({"tools": [{"type": "file_search"}]}, "file_search", id="file search"),
        pytest.param({"tools": [{"type": "computer_use_preview"}]}, "computer_use", id="a computer of theirs"),
        pytest.param({"tools": [{"type": "image_generation"}]}, "image_generation", id="pictures"),
        pytest.param({"tools": [{"type": "shell"}]}, "shell", id="a shell of theirs"),
        pytest.param({"tools": [{"name": "f"}]}, "None", id="a tool without a type"),
        pytest.param({"tools": [SEARCH]}, "web_search", id="search without leave"),
        pytest.param({"tools": [space(FUNCTION, {"type": "mcp"})]}, "mcp", id="remote MCP in a namespace"),
        pytest.param(added(FUNCTION, {"type": "mcp"}), "mcp", id="remote MCP inside the input"),
        pytest.param(added(space(space({"type": "mcp"}))), "mcp", id="remote MCP deep inside the input"),
        pytest.param(said({"type": "input_image", "image_url": "https://evil.test/x"}), "image_url", id="a link"),
        pytest.param(said({"type": "input_image", "file_id": "file_1"}), "file_id", id="a stored image"),
        pytest.param(said({"type": "input_file", "file_url": "https://evil.test"}), "file_url", id="a file by address"),
        pytest.param(
            {"input": [{"type": "function_call_output", "output": [{"type": "input_image", "image_url": "http://x"}]}]},
            "image_url",
            id="a link in a tool's result",
        ),
        pytest.param({"input": [{"type": "item_reference", "id": "msg_1"}]}, "item_reference", id="a stored item"),
    ],
)
def test_a_body_that_lets_the_vendor_reach_out_is_refused(content: Json, word: str) -> None:
    assert word in openai.find_refusal(content, allow_search=False)


@pytest.mark.parametrize("kind", ["web_search", "web_search_preview", "web_search_2025_08_26"])
def test_search_passes_when_allowed_and_nothing_else_with_it(kind: str) -> None:
    search: Json = {"tools": [{"type": kind}]}
    assert openai.searches(search)
    assert openai.find_refusal(search, allow_search=True) == ""
    assert "mcp" in openai.find_refusal({"tools": [{"type": kind}, {"type": "mcp"}]}, allow_search=True)


def test_the_model_is_named_in_the_body() -> None:
    assert (openai.read_model("/v1/responses", {"model": "gpt-5"}), openai.read_model("/v1/responses", {})) == (
        "gpt-5",
        "",
    )
    assert openai.to_credential_headers("k") == {"authorization": "Bearer k"}


def test_pictures_files_and_built_in_tools_count_more_than_their_bytes() -> None:
    content = said(
        {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
        {"type": "input_file", "file_data": "data:application/pdf;base64,cGRm"},
    )
    assert set(openai.list_bulks(content | {"tools": [FUNCTION, {"type": "local_shell"}]})) == {
        Bulk("data:image/png;base64,aGk=", IMAGE_TOKENS),
        Bulk("data:application/pdf;base64,cGRm", DOCUMENT_TOKENS),
        Bulk("local_shell", BUILT_IN_TOOL_TOKENS),
    }


@pytest.mark.parametrize(
    ("content", "shrinks"),
    [
        ({}, False),
        ({"truncation": "disabled"}, False),
        ({"truncation": "auto"}, True),
    ],
)
def test_what_the_vendor_leaves_out_is_not_compared(content: Json, shrinks: bool) -> None:
    assert openai.may_shrink(content) is shrinks


@pytest.mark.parametrize(
    ("content", "asked", "sent"),
    [
        pytest.param({}, None, {"max_output_tokens": 3000, "store": False}, id="nothing is kept by default"),
        pytest.param(
            {"max_output_tokens": 9, "store": False}, 9, {"max_output_tokens": 3000, "store": False}, id="a maximum"
        ),
        pytest.param(
            {"tools": [SEARCH]},
            None,
            {"tools": [SEARCH], "max_output_tokens": 3000, "store": False, "max_tool_calls": 5},
            id="searches are bounded",
        ),
        pytest.param(
            {"tools": [SEARCH], "max_tool_calls": 2},
            None,
            {"tools": [SEARCH], "max_output_tokens": 3000, "store": False, "max_tool_calls": 2},
            id="fewer searches stay",
        ),
    ],
)
def test_a_maximum_is_written(content: Json, asked: int | None, sent: Json) -> None:
    assert openai.find_least_output(content) == 1024
    assert openai.read_max_output(content) == asked
    assert openai.limit_output(content, 3000, 5) == sent


USAGE = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 80, "cache_write_tokens": 15},
    "output_tokens": 33,
    "total_tokens": 133,
}
COUNTED = Tokens(input=5, cache_write=15, cached=80, output=33)
REFUSAL = {"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}


@pytest.mark.parametrize(
    ("event", "told"),
    [
        pytest.param(
            {"type": "response.created", "response": {"usage": None}}, AnswerFacts(announces=True), id="a start"
        ),
        pytest.param(
            {"type": "response.completed", "response": {"usage": USAGE, "output": []}},
            AnswerFacts(COUNTED, final=True),
            id="end",
        ),
        pytest.param({"object": "response", "usage": USAGE}, AnswerFacts(COUNTED, final=True), id="whole"),
        pytest.param(
            {"usage": {"output_tokens": 3, "input_tokens": 1, "total_tokens": 9}},
            AnswerFacts(Tokens(input=1, output=8), final=True),
            id="reasoning that is not in the output",
        ),
        pytest.param(
            {"response": {"usage": {}, "output": [REFUSAL]}}, AnswerFacts(final=True, refused=True), id="a refusal"
        ),
        pytest.param(
            {"response": {"usage": {}, "incomplete_details": {"reason": "content_filter"}}},
            AnswerFacts(final=True, refused=True),
            id="a filter",
        ),
        pytest.param(
            {"response": {"usage": {}, "incomplete_details": {"reason": "max_output_tokens"}}},
            AnswerFacts(final=True),
            id="cut",
        ),
        pytest.param(
            {"response": {"output": [{"type": "web_search_call"}, {"type": "message"}]}},
            AnswerFacts(Tokens(searches=1)),
            id="a search",
        ),
        pytest.param({"type": "response.output_text.delta", "delta": "usage"}, AnswerFacts(), id="words"),
        pytest.param(
            {"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded"}}},
            AnswerFacts(status=429),
            id="limited",
        ),
        pytest.param({"type": "error", "code": "server_is_overloaded"}, AnswerFacts(status=503), id="overloaded"),
        pytest.param(
            {"error": {"type": "invalid_request_error", "code": None}}, AnswerFacts(status=400), id="by its type"
        ),
        pytest.param({"error": {"code": "new"}}, AnswerFacts(), id="an unknown error"),
    ],
)
def test_what_an_answer_tells(event: Json, told: AnswerFacts) -> None:
    assert openai.read_event(event) == told


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (403, "permission_error", "forbidden"),
        (429, "rate_limit_error", "rate_limit_exceeded"),
        (502, "server_error", None),
    ],
)
def test_errors_are_worded_as_the_vendor_does(status: int, kind: str, code: str | None) -> None:
    assert openai.to_error(status, "why") == {"error": {"message": "why", "type": kind, "param": None, "code": code}}


def test_something_the_vendor_keeps_is_not_named_by_its_id() -> None:
    assert find_refusal({"input": [{"id": "msg_1"}]}, FIELDS) == "not allowed: input.type None"
    assert find_refusal({"input": [{"role": "user", "content": "hi"}]}, FIELDS) == ""


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
    assert find_refusal({"tools": [tool]}, FIELDS) == why


def test_a_search_that_ran_before_is_data() -> None:
    action: Json = {"type": "search", "query": "q", "queries": ["q"], "sources": [{"type": "url", "url": "https://x"}]}
    assert find_refusal({"input": [{"type": "web_search_call", "id": "ws_1", "action": action}]}, FIELDS) == ""


def test_statistics_are_not_among_the_fields() -> None:
    assert not DROPPED & FIELDS.keys()
