"""What the gateway lets through, what it refuses, and how each request goes out, over all the wires."""

import contextlib
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from reknit.core.agent_reports.values import FixReport
from reknit.core.agents.call import Usage
from reknit.core.gateway.access import TOO_MANY, ProviderName
from reknit.core.gateway.policy import MAX_BODIES, MAX_BODY
from tests.tools.gateway_client import BODY, KEY, WAIT_S, Client, about, client_of
from tests.tools.model_client import ANTHROPIC, CHAT, GEMINI, RESPONSES, Ask
from tests.tools.scripted_model import ScriptedModel

WIRES: list[Any] = [
    pytest.param("anthropic", ANTHROPIC, id="anthropic"),
    pytest.param("gemini", GEMINI, id="gemini"),
    pytest.param("openai", RESPONSES, id="openai"),
    pytest.param("openai_chat", CHAT, id="openai_chat"),
]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(turns=[{"text": "hello", "repeat": True}]) as scripted:
        yield scripted


@pytest.mark.parametrize("shown", ["x-api-key", "authorization"])
def test_the_run_token_is_replaced_by_the_key(model: ScriptedModel, shown: str) -> None:
    with client_of(model.url) as client:
        token = client.gateway.token
        headers = {
            shown: token if shown == "x-api-key" else f"Bearer {token}",
            "Cookie": "a=b",
            "anthropic-version": "1",
        }
        assert client.status(headers=headers, target="/v1/messages?beta=true") == 200
    (request,) = model.log
    assert request.headers["x-api-key"] == KEY
    assert "authorization" not in request.headers
    assert token not in json.dumps(dict(request.headers))
    assert "cookie" not in request.headers
    assert request.headers["anthropic-version"] == "1"
    assert request.headers["accept-encoding"] == "identity"
    assert request.path == "/v1/messages?beta=true"
    assert request.body == BODY


def test_an_upstream_may_have_a_path_of_its_own(model: ScriptedModel) -> None:
    with client_of(model.url + "/proxy/") as client:
        assert client.status() == 404
    assert model.log[0].path == "/proxy/v1/messages"


@pytest.mark.parametrize(
    "headers", [{}, {"x-api-key": "guess"}, {"authorization": "Bearer "}, {"x-api-key": "gu\xe9ss"}]
)
def test_without_the_run_token_nothing_passes(model: ScriptedModel, headers: dict[str, str]) -> None:
    with client_of(model.url) as client:
        assert client.status(headers=headers) == 403
        assert client.gateway.observation.refused == ("wrong run token",)
    assert model.log == []


def test_without_the_run_token_no_large_body_is_read(model: ScriptedModel) -> None:
    with client_of(model.url) as client, socket.create_connection(("127.0.0.1", client.port), WAIT_S) as stranger:
        head = b"POST /v1/messages HTTP/1.1\r\nx-api-key: guess\r\nconnection: close\r\ncontent-length: 70000\r\n\r\n"
        stranger.sendall(head + b"x" * 70_000)
        assert b"the body is too large" in b"".join(iter(lambda: stranger.recv(65536), b""))
        assert client.status({**BODY, "metadata": {"user_id": "x" * 70_000}}) == 200


def test_all_large_bodies_together_are_bounded_and_small_ones_still_pass(model: ScriptedModel) -> None:
    with client_of(model.url) as client, contextlib.ExitStack() as stack:
        head = f"POST /v1/messages HTTP/1.1\r\nx-api-key: {client.gateway.token}\r\ncontent-length: {MAX_BODY}\r\n\r\n"

        def begun() -> bytes:
            """What comes before any of the body is sent; nothing, when the body is waited for."""
            box = stack.enter_context(socket.create_connection(("127.0.0.1", client.port), WAIT_S))
            box.sendall(head.encode())
            box.settimeout(0.2)
            with contextlib.suppress(TimeoutError):
                return box.recv(1000)
            return b""

        answers = [begun() for _ in range(MAX_BODIES // MAX_BODY + 1)]
        assert [answer.partition(b"\r\n")[0] for answer in answers if answer] == [b"HTTP/1.1 503 Service Unavailable"]
        assert client.status() == 200
        assert client.gateway.observation.refused == ()


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("POST", "/v1/files"),
        ("GET", "/v1/models"),
        ("DELETE", "/v1/messages"),
        ("POST", "http://127.0.0.1:1/v1/messages"),
    ],
)
def test_other_paths_are_refused_in_the_vendors_own_words(model: ScriptedModel, method: str, target: str) -> None:
    with client_of(model.url) as client:
        with contextlib.closing(client.send(method=method, target=target)) as answer:
            told = json.loads(answer.read())
        assert answer.status == 403
        assert told["type"] == "error"
        assert told["error"]["type"] == "permission_error"
        assert client.gateway.observation.refused == (f"path not allowed: {method} {target}",)
    assert model.log == []


@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_a_probe_of_the_address_is_no_offence(model: ScriptedModel, method: str) -> None:
    with client_of(model.url) as client:
        assert client.status(method=method, target="/") == 403
        assert client.gateway.observation.refused == ()
    assert model.log == []


def test_tools_run_by_the_vendor_are_refused_and_search_only_passes_when_allowed(model: ScriptedModel) -> None:
    fetch = {**BODY, "tools": [{"type": "web_fetch_20250910"}]}
    search = {**BODY, "tools": [{"type": "web_search_20250305", "name": "web_search"}]}
    with client_of(model.url) as client:
        assert [client.status(fetch), client.status(search), client.status(b"no json")] == [403, 403, 403]
        assert len(client.gateway.observation.refused) == 3
    assert model.log == []
    with client_of(model.url, allow_search=True) as client:
        assert [client.status(search), client.status(fetch)] == [200, 403]
    assert [request.tools for request in model.log] == [("web_search",)]


def test_what_a_box_says_cannot_flood_the_notes(model: ScriptedModel) -> None:
    with client_of(model.url, max_requests=60) as client:
        for number in range(60):
            client.status(target=f"/v1/{number}-" + "x" * 500)
        assert client.status() == 403
        assert len(client.gateway.observation.refused) == 50
        assert max(map(len, client.gateway.observation.refused)) == 200
        assert client.gateway.observation.over_budget


def test_requests_are_capped(model: ScriptedModel) -> None:
    with client_of(model.url, max_requests=2) as client:
        assert [client.status() for _ in range(4)] == [200, 200, 403, 403]
        assert (client.gateway.observation.refused, client.gateway.observation.over_budget) == ((TOO_MANY,), TOO_MANY)
        assert client.gateway.close().requests == 2
    assert len(model.log) == 2


@pytest.mark.parametrize(("provider", "ask"), WIRES)
@pytest.mark.parametrize("streamed", [True, False])
def test_every_wire_passes_with_the_key_a_maximum_and_its_usage_told(
    provider: ProviderName, ask: Ask, streamed: bool
) -> None:
    use = {"input": 10, "cached": 70, "output": 30, "reasoning": 5}
    with (
        ScriptedModel(turns=[{"text": "a", "usage": use, "repeat": True}]) as model,
        client_of(model.url, provider=provider) as client,
    ):
        token = client.gateway.token
        body = ask.body("hi", **({"stream": True} if streamed and provider != "gemini" else {}))
        target, headers = ask.stream_path if streamed else ask.path, {"authorization": f"Bearer {token}"}
        assert client.status(body, target=target, headers=headers) == 200
        used = client.gateway.close()
    assert used == Usage(10, 70, 30, requests=1, cost_usd=about(10e-6 + 7e-6 + 150e-6))
    (request,) = model.log
    assert KEY in request.headers[_KEY_HEADER[provider]]
    assert token not in json.dumps([dict(request.headers), request.path])
    assert _max_output(provider, request.body) == 32_000


_KEY_HEADER = {
    "anthropic": "x-api-key",
    "gemini": "x-goog-api-key",
    "openai": "authorization",
    "openai_chat": "authorization",
}


def _max_output(provider: ProviderName, body: Any) -> int:
    if provider == "gemini":
        return int(body["generationConfig"]["maxOutputTokens"])
    names = {"anthropic": "max_tokens", "openai": "max_output_tokens", "openai_chat": "max_completion_tokens"}
    return int(body[names[provider]])


def test_a_token_in_the_query_never_passes_on(model: ScriptedModel) -> None:
    with client_of(model.url, provider="gemini") as client:
        target = f"{GEMINI.stream_path}&key={client.gateway.token}"
        assert client.status(GEMINI.body(), target=target, headers={}) == 200
    assert model.log[0].path == GEMINI.stream_path


@pytest.mark.parametrize(("provider", "ask"), WIRES)
def test_refusals_are_told_in_every_vendors_own_words(model: ScriptedModel, provider: ProviderName, ask: Ask) -> None:
    with client_of(model.url, provider=provider) as client:
        with contextlib.closing(client.send(target="/v1/files")) as answer:
            told = json.loads(answer.read())
        assert answer.status == 403
    assert told["error"]["message"] == "reknit: path not allowed: POST /v1/files"
    assert model.log == []


def test_what_costs_nothing_passes_without_a_maximum(model: ScriptedModel) -> None:
    with client_of(model.url, budget_usd=0.0) as client:
        assert client.status(target="/v1/messages/count_tokens") == 200
        assert client.status() == 403
        assert client.gateway.close() == Usage(requests=1)
    assert model.log[0].body == BODY


def test_a_list_of_models_is_asked_for_without_a_body(model: ScriptedModel) -> None:
    with client_of(model.url, provider="openai", max_requests=2) as client:
        assert client.status(b"{}", method="GET", target="/v1/models") == 403
        assert client.gateway.observation.refused == ("this request must not have a body",)
        assert client.status(b"", method="GET", target="/v1/models") == 200
        assert client.status(b"", method="GET", target="/v1/models") == 403
        assert client.gateway.observation.over_budget
        assert client.gateway.observation.status is None


def test_a_login_takes_the_place_of_the_run_token_as_a_bearer(model: ScriptedModel) -> None:
    with client_of(model.url, login=True) as client:
        assert client.status(headers={"authorization": f"Bearer {client.gateway.token}"}) == 200
        assert client.status(headers={"authorization": f"Bearer {KEY}"}) == 403
    (request,) = model.log
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in request.headers


MCP = "/reknit/mcp"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NOTE = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.fixture
def client() -> Iterator[Client]:
    with ScriptedModel() as model:
        with client_of(model.url) as made:
            yield made
        assert model.log == []


def told(client: Client, body: object) -> tuple[int, Any]:
    with contextlib.closing(client.send(body, target=MCP)) as answer:
        text = answer.read()
        return answer.status, json.loads(text) if text else None


def finish(number: int) -> dict[str, object]:
    arguments = {"status": "fixed", "summary": f"mended {number}"}
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": "finish_fix", "arguments": arguments},
    }


def test_a_report_is_taken_and_seen(client: Client) -> None:
    assert (client.gateway.observation.report, client.gateway.observation.report_problem) == (
        None,
        "finish_fix was never called",
    )
    status, reply = told(client, finish(1))
    assert (status, reply["id"]) == (200, 1)
    assert client.gateway.observation.report == FixReport("fixed", "mended 1")
    assert client.gateway.observation.report_problem == ""
    assert client.gateway.close().requests == 0


def test_a_notification_is_taken_without_a_reply(client: Client) -> None:
    assert told(client, NOTE) == (202, None)


def test_several_messages_are_answered_together(client: Client) -> None:
    status, replies = told(client, [PING, NOTE, finish(2)])
    assert (status, [reply["id"] for reply in replies]) == (200, [1, 2])
    assert told(client, [NOTE]) == (202, None)


def test_what_is_no_json_is_told_so(client: Client) -> None:
    status, reply = told(client, b"{")
    assert (status, reply["error"]["code"]) == (400, -32700)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_other_methods_are_not_taken(client: Client, method: str) -> None:
    assert client.status(b"", method=method, target=MCP) == 405


@pytest.mark.parametrize("headers", [{}, {"x-api-key": KEY}, {"authorization": "Bearer guess"}])
def test_without_the_report_token_nothing_is_taken(client: Client, headers: dict[str, str]) -> None:
    assert client.status(finish(1), target=MCP, headers=headers) == 403
    assert client.gateway.observation.report is None


def test_the_token_that_processes_inherit_cannot_report_and_that_of_reports_reaches_no_model(client: Client) -> None:
    token, report_token = client.gateway.token, client.gateway.report_token
    assert client.status(finish(1), target=MCP, headers={"x-api-key": token}) == 403
    assert client.status(headers={"x-api-key": report_token}) == 403
    assert client.gateway.observation.report is None


def test_reports_are_bounded_in_size_and_number(client: Client) -> None:
    assert client.status(b'"' + b"x" * (1 << 20) + b'"', target=MCP) == 413
    assert client.status(b"[" * 200, target=MCP) == 400
    assert client.status(('["\u2200",' + "[" * 5_000).encode("utf-16-le"), target=MCP) == 400
    assert client.status([NOTE] * 1_996, target=MCP) == 202
    assert client.status(finish(1), target=MCP) == 200
    assert client.status(finish(2), target=MCP) == 403
    assert client.gateway.observation.report == FixReport("fixed", "mended 1")


def test_what_is_refused_counts_too_and_in_the_end_nothing_is_read(client: Client) -> None:
    assert client.status([NOTE] * 1_998, target=MCP) == 202
    assert [client.status(b"{", target=MCP) for _ in range(2)] == [400, 400]
    token = client.gateway.report_token
    with socket.create_connection(("127.0.0.1", client.port), WAIT_S) as box:
        box.sendall(f"POST {MCP} HTTP/1.1\r\nx-api-key: {token}\r\ncontent-length: 999\r\n\r\n".encode())
        assert box.recv(100).startswith(b"HTTP/1.1 403")
    assert client.gateway.observation.report is None
