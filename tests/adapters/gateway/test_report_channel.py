"""The report channel through the gateway: with its own token, bounded, and never sent to the model."""

import contextlib
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from reknit.core.agent_reports.values import FixReport
from tests.tools.gateway_client import KEY, WAIT_S, Client, client_of
from tests.tools.scripted_model import ScriptedModel

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
    assert (client.gateway.seen.report, client.gateway.seen.report_problem) == (None, "finish_fix was never called")
    status, reply = told(client, finish(1))
    assert (status, reply["id"]) == (200, 1)
    assert client.gateway.seen.report == FixReport("fixed", "mended 1")
    assert client.gateway.seen.report_problem == ""
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
    assert client.gateway.seen.report is None


def test_the_token_that_processes_inherit_cannot_report_and_that_of_reports_reaches_no_model(client: Client) -> None:
    token, report_token = client.gateway.token, client.gateway.report_token
    assert client.status(finish(1), target=MCP, headers={"x-api-key": token}) == 403
    assert client.status(headers={"x-api-key": report_token}) == 403
    assert client.gateway.seen.report is None


def test_reports_are_bounded_in_size_and_number(client: Client) -> None:
    assert client.status(b'"' + b"x" * (1 << 20) + b'"', target=MCP) == 413
    assert client.status(b"[" * 200, target=MCP) == 400
    assert client.status(('["\u2200",' + "[" * 5_000).encode("utf-16-le"), target=MCP) == 400
    assert client.status([NOTE] * 1_996, target=MCP) == 202
    assert client.status(finish(1), target=MCP) == 200
    assert client.status(finish(2), target=MCP) == 403
    assert client.gateway.seen.report == FixReport("fixed", "mended 1")


def test_what_is_refused_counts_too_and_in_the_end_nothing_is_read(client: Client) -> None:
    assert client.status([NOTE] * 1_998, target=MCP) == 202
    assert [client.status(b"{", target=MCP) for _ in range(2)] == [400, 400]
    token = client.gateway.report_token
    with socket.create_connection(("127.0.0.1", client.port), WAIT_S) as box:
        box.sendall(f"POST {MCP} HTTP/1.1\r\nx-api-key: {token}\r\ncontent-length: 999\r\n\r\n".encode())
        assert box.recv(100).startswith(b"HTTP/1.1 403")
    assert client.gateway.seen.report is None
