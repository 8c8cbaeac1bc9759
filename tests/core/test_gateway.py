"""The gateway's decisions, as tables."""

import json

import pytest

from reknit.core import gateway
from reknit.core.agent_call import AgentOrder

MESSAGES = "/v1/messages"


def refusal(content: object, *, allow_search: bool = False) -> str:
    return gateway.body_refusal(json.dumps(content).encode(), allow_search=allow_search)


@pytest.mark.parametrize(
    ("method", "target"),
    [
        pytest.param("POST", MESSAGES, id="the model"),
        pytest.param("POST", MESSAGES + "?beta=true", id="the model with a query"),
        pytest.param("POST", MESSAGES + "/count_tokens", id="counting"),
    ],
)
def test_these_paths_pass(method: str, target: str) -> None:
    assert gateway.path_refusal(method, target) == ""


@pytest.mark.parametrize(
    ("method", "target"),
    [
        pytest.param("GET", MESSAGES, id="another method"),
        pytest.param("POST", "/v1/files", id="another path"),
        pytest.param("POST", "/v1/messages/", id="a slash more"),
        pytest.param("POST", "/v1/messages/../files", id="a way up"),
        pytest.param("POST", "/v1/messages/batches", id="something below"),
        pytest.param("POST", "http://evil.test/v1/messages", id="an absolute address"),
        pytest.param("POST", "/v1/%6dessages", id="an escaped letter"),
        pytest.param("CONNECT", "evil.test:443", id="a tunnel"),
    ],
)
def test_all_other_paths_are_refused(method: str, target: str) -> None:
    assert method in gateway.path_refusal(method, target)


def test_only_the_known_query_is_passed_on() -> None:
    assert gateway.upstream_target(MESSAGES + "?beta=true") == MESSAGES + "?beta=true"
    assert gateway.upstream_target(MESSAGES + "?beta=true&to=evil") == MESSAGES
    assert gateway.upstream_target(MESSAGES) == MESSAGES


def test_headers_are_chosen_by_name_in_any_case() -> None:
    given = [("Anthropic-Version", "1"), ("X-Api-Key", "token"), ("Cookie", "c"), ("Connection", "keep-alive")]
    assert gateway.chosen(given, gateway.REQUEST_HEADERS) == {"anthropic-version": "1"}


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        pytest.param({"x-api-key": "t"}, "t", id="as a key"),
        pytest.param({"authorization": "Bearer t"}, "t", id="as a bearer token"),
        pytest.param({"x-api-key": "t", "authorization": "Bearer other"}, "t", id="the key first"),
        pytest.param({}, "", id="none"),
    ],
)
def test_the_token_is_found(headers: dict[str, str], token: str) -> None:
    assert gateway.presented_token(headers) == token


IMAGE = {"type": "image", "source": {"type": "base64", "data": "aGk="}}
LINK = {"type": "image", "source": {"type": "url", "url": "https://evil.test/x"}}
STORED = {"type": "document", "source": {"type": "file", "file_id": "file_1"}}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"model": "m", "messages": []}, id="no tools"),
        pytest.param({"tools": [{"name": "Bash", "input_schema": {}}]}, id="a tool without a type"),
        pytest.param({"tools": [{"type": "custom", "name": "Bash"}]}, id="a tool of the client"),
        pytest.param(
            {"tools": [{"type": "bash_20250124"}, {"type": "text_editor_20250728"}]}, id="the vendor's own client tools"
        ),
        pytest.param({"mcp_servers": [], "container": None}, id="empty fields of the vendor"),
        pytest.param({"messages": [{"role": "user", "content": [IMAGE]}]}, id="an image inside the body"),
        pytest.param(
            {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "input": LINK}]}]},
            id="a tool's input that looks like a link",
        ),
        pytest.param({"messages": [{"role": "user", "content": "see source"}]}, id="plain words"),
    ],
)
def test_a_body_that_stays_between_agent_and_model_passes(content: object) -> None:
    assert refusal(content) == ""


@pytest.mark.parametrize(
    ("content", "word"),
    [
        pytest.param([], "JSON object", id="not an object"),
        pytest.param({"mcp_servers": [{"url": "https://evil.test"}]}, "mcp_servers", id="remote MCP"),
        pytest.param({"container": {"skills": []}}, "container", id="a container at the vendor"),
        pytest.param({"tools": {"type": "custom"}}, "not a list", id="tools that are no list"),
        pytest.param({"tools": ["web_fetch"]}, "not an object", id="a tool that is no object"),
        pytest.param({"tools": [{"type": "custom"}, {"type": "web_fetch_20250910"}]}, "web_fetch_20250910", id="fetch"),
        pytest.param({"tools": [{"type": "code_execution_20250825"}]}, "code_execution", id="code execution"),
        pytest.param({"tools": [{"type": "mcp_toolset"}]}, "mcp_toolset", id="a remote tool set"),
        pytest.param({"tools": [{"type": "custom_20250101"}]}, "custom_2", id="a type that only starts like ours"),
        pytest.param({"tools": [{"type": "web_search_20250305"}]}, "web_search", id="search without leave"),
        pytest.param({"messages": [{"role": "user", "content": [LINK]}]}, "url", id="an image by address"),
        pytest.param(
            {"messages": [{"role": "user", "content": [STORED]}]}, "file", id="a document of the vendor's store"
        ),
        pytest.param({"system": [LINK]}, "url", id="an image in the system prompt"),
        pytest.param(
            {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": [LINK]}]}]},
            "url",
            id="an image by address inside a tool's result",
        ),
    ],
)
def test_a_body_that_lets_the_vendor_reach_out_is_refused(content: object, word: str) -> None:
    assert word in refusal(content)


def test_search_passes_when_allowed_and_nothing_else_with_it() -> None:
    search = {"type": "web_search_20250305", "name": "web_search"}
    assert refusal({"tools": [search]}, allow_search=True) == ""
    assert "web_fetch" in refusal({"tools": [search, {"type": "web_fetch_20250910"}]}, allow_search=True)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"hello", id="no JSON"),
        pytest.param(b"\xff\xfe{\x00}\x00", id="another encoding"),
        pytest.param(b'{"tools": [{"type": "web_fetch_1"}], "tools": []}', id="a name given twice"),
        pytest.param(b'{"messages": ' + b"[" * 200_000, id="a body nested without end"),
    ],
)
def test_a_body_that_cannot_be_read_with_certainty_is_refused(body: bytes) -> None:
    assert "plain JSON object" in gateway.body_refusal(body, allow_search=True)


@pytest.mark.parametrize(
    ("model", "budget_usd", "max_tokens"),
    [
        pytest.param("", 2.5, 5_000_000, id="the CLI's own choice"),
        pytest.param("claude-opus-5-5", 2.5, 5_000_000, id="a dear model"),
        pytest.param("claude-Haiku-5-5", 2.5, 30_000_000, id="a cheap model gets as far as its budget"),
        pytest.param("", 0.01, 200_000, id="room for one look around"),
    ],
)
def test_caps_follow_the_order(model: str, budget_usd: float, max_tokens: int) -> None:
    order = AgentOrder("r", 1, "local", "p", wall_s=1, idle_s=1, turns=10, budget_usd=budget_usd, folder="f")
    assert gateway.caps_of(order, model) == gateway.Caps(max_requests=60, max_tokens=max_tokens)
