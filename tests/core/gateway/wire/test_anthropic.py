"""Anthropic's wire: what may pass, how it is capped, and what its answers tell."""

import pytest

from reknit.core.gateway.metering import AnswerFacts, Tokens
from reknit.core.gateway.wire import anthropic
from reknit.core.gateway.wire.shapes import BUILT_IN_TOOL_TOKENS, DOCUMENT_TOKENS, IMAGE_TOKENS, Bulk
from reknit.core.text.untrusted_input import Json

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "cGRm"}}
LINK = {"type": "image", "source": {"type": "url", "url": "https://evil.test/x"}}
STORED = {"type": "document", "source": {"type": "file", "file_id": "file_1"}}
SEARCH = {"type": "web_search_20250305", "name": "web_search"}


def said(*blocks: object) -> Json:
    return {"messages": [{"role": "user", "content": list(blocks)}]}


def edited(*edits: object) -> Json:
    return {"context_management": {"edits": list(edits)}}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"model": "m", "messages": []}, id="no tools"),
        pytest.param({"tools": [{"name": "Bash", "input_schema": {}}]}, id="a tool without a type"),
        pytest.param({"tools": [{"type": "custom", "name": "Bash"}]}, id="a tool of the client"),
        pytest.param(
            {"tools": [{"type": "bash_20250124"}, {"type": "text_editor_20250728"}]}, id="the vendor's own client tools"
        ),
        pytest.param({"speed": "standard", "inference_geo": None}, id="the standard tier"),
        pytest.param(said(IMAGE, PDF), id="an image inside the body"),
        pytest.param(said({"type": "tool_use", "input": LINK}), id="a tool's input that looks like a link"),
        pytest.param(said({"type": "text", "text": "see source"}), id="plain words"),
        pytest.param({"messages": [{"role": "user", "content": "see source"}]}, id="plainer words"),
        pytest.param(edited({"type": "clear_thinking_20251015", "keep": "all"}), id="thinking that is kept"),
        pytest.param(edited({"type": "clear_tool_uses_20250919"}), id="old tool results left out"),
        pytest.param({"context_management": None}, id="no context management"),
    ],
)
def test_a_body_that_stays_between_agent_and_model_passes(content: Json) -> None:
    assert anthropic.find_refusal(content, allow_search=False) == ""


@pytest.mark.parametrize(
    ("content", "word"),
    [
        pytest.param({"mcp_servers": [{"url": "https://evil.test"}]}, "mcp_servers", id="remote MCP"),
        pytest.param({"container": {"skills": []}}, "container", id="a container at the vendor"),
        pytest.param({"thread": {"id": "t"}}, "thread", id="a stored conversation"),
        pytest.param({"fallbacks": [{"model": "dear"}]}, "fallbacks", id="another model's price"),
        pytest.param({"compaction": {"type": "auto"}}, "compaction", id="a second model call"),
        pytest.param({"speed": "fast"}, "speed fast", id="a dearer speed"),
        pytest.param({"inference_geo": "us"}, "inference_geo us", id="a dearer place"),
        pytest.param({"tools": {"type": "custom"}}, "not a list", id="tools that are no list"),
        pytest.param({"tools": ["web_fetch"]}, "not a list of objects", id="a tool that is no object"),
        pytest.param({"tools": [{"type": "custom"}, {"type": "web_fetch_20250910"}]}, "web_fetch_20250910", id="fetch"),
        pytest.param({"tools": [{"type": "code_execution_20250825"}]}, "code_execution", id="code execution"),
        pytest.param({"tools": [{"type": "mcp_toolset"}]}, "mcp_toolset", id="a remote tool set"),
        pytest.param({"tools": [{"type": "custom_20250101"}]}, "custom_2", id="a type that only starts like ours"),
        pytest.param({"tools": [{"type": 0, "name": "x"}]}, "not allowed: 0", id="a type that is no text"),
        pytest.param({"tools": [SEARCH]}, "web_search", id="search without leave"),
        pytest.param(said(LINK), "url", id="an image by address"),
        pytest.param(said(STORED), "file", id="a document of the vendor's store"),
        pytest.param(said({"type": "container_upload", "file_id": "f"}), "container_upload", id="a stored upload"),
        pytest.param({"system": [LINK]}, "url", id="an image in the system prompt"),
        pytest.param(said({"type": "tool_result", "content": [LINK]}), "url", id="an image by address in a result"),
        pytest.param(edited({"type": "compact_20260112"}), "compact", id="compaction by the vendor"),
        pytest.param({"context_management": {"edits": "all"}}, "list of edits", id="edits that are no list"),
        pytest.param({"context_management": ["x"]}, "list of edits", id="context management that is no object"),
    ],
)
def test_a_body_that_lets_the_vendor_reach_out_is_refused(content: Json, word: str) -> None:
    assert word in anthropic.find_refusal(content, allow_search=False)


def test_search_passes_when_allowed_and_nothing_else_with_it() -> None:
    assert anthropic.find_refusal({"tools": [SEARCH]}, allow_search=True) == ""
    fetch = {"type": "web_fetch_20250910"}
    assert "web_fetch" in anthropic.find_refusal({"tools": [SEARCH, fetch]}, allow_search=True)


def test_the_model_is_named_in_the_body() -> None:
    assert (anthropic.read_model("/v1/messages", {"model": "opus"}), anthropic.read_model("/v1/messages", {})) == (
        "opus",
        "",
    )
    assert anthropic.to_credential_headers("k") == {"x-api-key": "k"}


def test_pictures_and_built_in_tools_count_more_than_their_bytes() -> None:
    content = said(IMAGE, PDF) | {"tools": [{"name": "Bash"}, {"type": "bash_20250124"}]}
    assert set(anthropic.list_bulks(content)) == {
        Bulk("aGk=", IMAGE_TOKENS),
        Bulk("cGRm", DOCUMENT_TOKENS),
        Bulk("bash_20250124", BUILT_IN_TOOL_TOKENS),
    }


@pytest.mark.parametrize(
    ("edits", "shrinks"),
    [
        ([], False),
        ([{"type": "clear_thinking_20251015", "keep": "all"}], False),
        ([{"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 1}}], True),
        ([{"type": "clear_tool_uses_20250919"}], True),
    ],
)
def test_what_the_vendor_leaves_out_is_not_compared(edits: list[Json], shrinks: bool) -> None:
    assert anthropic.may_shrink(edited(*edits)) is shrinks


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({"max_tokens": 10}, 10),
        ({"max_tokens": 0}, 0),
        ({}, None),
        ({"max_tokens": "10"}, None),
        ({"max_tokens": True}, None),
    ],
)
def test_the_asked_output(given: Json, asked: int | None) -> None:
    assert anthropic.read_max_output(given) == asked


@pytest.mark.parametrize(
    ("content", "least", "sent"),
    [
        pytest.param({"max_tokens": 9000}, 1024, {"max_tokens": 3000}, id="no thinking"),
        pytest.param(
            {"max_tokens": 9000, "thinking": {"type": "enabled", "budget_tokens": 8000}},
            2048,
            {"max_tokens": 3000, "thinking": {"type": "enabled", "budget_tokens": 1976}},
            id="thinking is lowered with it",
        ),
        pytest.param(
            {"max_tokens": 9000, "thinking": {"type": "enabled", "budget_tokens": 2000}},
            2048,
            {"max_tokens": 3000, "thinking": {"type": "enabled", "budget_tokens": 2000}},
            id="thinking that fits stays",
        ),
        pytest.param(
            {"max_tokens": 9000, "thinking": {"type": "enabled", "budget_tokens": 20_000}},
            2048,
            {"max_tokens": 3000, "thinking": {"type": "enabled", "budget_tokens": 20_000}},
            id="thinking over several answers stays",
        ),
        pytest.param(
            {"thinking": {"type": "adaptive"}},
            1024,
            {"thinking": {"type": "adaptive"}, "max_tokens": 3000},
            id="adaptive",
        ),
    ],
)
def test_a_lower_maximum_is_written(content: Json, least: int, sent: Json) -> None:
    assert anthropic.find_least_output(content) == least
    assert anthropic.limit_output(content, 3000, 5) == sent


@pytest.mark.parametrize(("asked", "sent"), [({}, 5), ({"max_uses": 2}, 2), ({"max_uses": 50}, 5)])
def test_searches_are_bounded(asked: Json, sent: int) -> None:
    content: Json = {"tools": [{"name": "Bash"}, SEARCH | asked]}
    assert anthropic.searches(content)
    assert anthropic.limit_output(content, 3000, 5)["tools"] == [{"name": "Bash"}, SEARCH | {"max_uses": sent}]


USAGE = {
    "input_tokens": 7,
    "cache_creation_input_tokens": 5,
    "cache_creation": {"ephemeral_5m_input_tokens": 2, "ephemeral_1h_input_tokens": 3},
    "cache_read_input_tokens": 90,
    "output_tokens": 1,
    "server_tool_use": {"web_search_requests": 2},
}
COUNTED = Tokens(input=7, cache_write=5, cache_write_short=2, cached=90, output=1, searches=2)


@pytest.mark.parametrize(
    ("event", "told"),
    [
        pytest.param({"type": "message_start", "message": {"usage": USAGE}}, AnswerFacts(COUNTED), id="a start"),
        pytest.param(
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 33}},
            AnswerFacts(Tokens(output=33), final=True),
            id="an end",
        ),
        pytest.param(
            {"type": "message_delta", "delta": {"stop_reason": "refusal"}, "usage": {"output_tokens": 3}},
            AnswerFacts(Tokens(output=3), final=True, refused=True),
            id="a refusal",
        ),
        pytest.param(
            {"type": "message", "usage": USAGE, "stop_reason": "end_turn"}, AnswerFacts(COUNTED, final=True), id="whole"
        ),
        pytest.param(
            {"type": "message", "usage": {}, "stop_reason": "refusal"},
            AnswerFacts(final=True, refused=True),
            id="a whole refusal",
        ),
        pytest.param({"type": "message_delta", "usage": None}, AnswerFacts(), id="no usage"),
        pytest.param({"type": "ping"}, AnswerFacts(announces=True), id="a sign of life"),
        pytest.param({"type": "content_block_delta", "delta": {"text": "usage"}}, AnswerFacts(), id="words"),
        pytest.param(
            {"type": "error", "error": {"type": "overloaded_error"}}, AnswerFacts(status=529), id="overloaded"
        ),
        pytest.param({"type": "error", "error": {"type": "rate_limit_error"}}, AnswerFacts(status=429), id="limited"),
        pytest.param({"type": "error", "error": {"type": "new_error"}}, AnswerFacts(), id="an unknown error"),
    ],
)
def test_what_an_answer_tells(event: Json, told: AnswerFacts) -> None:
    assert anthropic.read_event(event) == told


@pytest.mark.parametrize(("status", "kind"), [(403, "permission_error"), (429, "rate_limit_error"), (502, "api_error")])
def test_errors_are_worded_as_the_vendor_does(status: int, kind: str) -> None:
    assert anthropic.to_error(status, "why") == {"type": "error", "error": {"type": kind, "message": "why"}}
