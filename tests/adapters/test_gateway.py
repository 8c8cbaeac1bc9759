"""What the gateway lets through, what it refuses, what it caps, and that it ends."""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from reknit.core.agent_call import Usage
from reknit.core.errors import UsageProblem
from reknit.core.gateway import OVER_BUDGET
from tests.tools.gateway_client import BODY, KEY, WAIT_S, client_of
from tests.tools.scripted_model import ScriptedModel


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(turns=[{"text": "hello", "repeat": True}]) as scripted:
        yield scripted


@pytest.mark.parametrize("shown", ["x-api-key", "authorization"])
@pytest.mark.parametrize(("key_header", "arrives"), [("x-api-key", KEY), ("authorization", f"Bearer {KEY}")])
def test_the_run_token_is_replaced_by_the_key(model: ScriptedModel, shown: str, key_header: str, arrives: str) -> None:
    with client_of(model.url, key_header=key_header) as client:
        token = client.gateway.token
        headers = {
            shown: token if shown == "x-api-key" else f"Bearer {token}",
            "Cookie": "a=b",
            "anthropic-version": "1",
        }
        assert client.status(headers=headers, target="/v1/messages?beta=true") == 200
    (request,) = model.log
    assert request.headers[key_header] == arrives
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
        assert client.gateway.refused == ("wrong run token",)
    assert model.log == []


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
        assert client.gateway.refused == (f"path not allowed: {method} {target}",)
    assert model.log == []


@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_a_probe_of_the_address_is_no_offence(model: ScriptedModel, method: str) -> None:
    with client_of(model.url) as client:
        assert client.status(method=method, target="/") == 403
        assert client.gateway.refused == ()
    assert model.log == []


def test_tools_run_by_the_vendor_are_refused_and_search_only_passes_when_allowed(model: ScriptedModel) -> None:
    fetch = {**BODY, "tools": [{"type": "web_fetch_20250910"}]}
    search = {**BODY, "tools": [{"type": "web_search_20250305", "name": "web_search"}]}
    with client_of(model.url) as client:
        assert [client.status(fetch), client.status(search), client.status(b"no json")] == [403, 403, 403]
        assert len(client.gateway.refused) == 3
    assert model.log == []
    with client_of(model.url, allow_search=True) as client:
        assert [client.status(search), client.status(fetch)] == [200, 403]
    assert [request.tools for request in model.log] == [("web_search",)]


def test_what_a_box_says_cannot_flood_the_notes(model: ScriptedModel) -> None:
    with client_of(model.url, max_requests=0) as client:
        for number in range(60):
            client.status(target=f"/v1/{number}-" + "x" * 500)
        assert client.status() == 403
        assert len(client.gateway.refused) == 51
        assert max(map(len, client.gateway.refused)) == 200
        assert OVER_BUDGET in client.gateway.refused


def test_requests_are_capped(model: ScriptedModel) -> None:
    with client_of(model.url, max_requests=2) as client:
        assert [client.status() for _ in range(4)] == [200, 200, 403, 403]
        assert client.gateway.refused == (OVER_BUDGET,)
        assert client.gateway.close().requests == 2
    assert len(model.log) == 2


def test_tokens_are_capped_by_what_they_are_worth() -> None:
    turn = {"text": "a", "usage": {"input": 10, "output": 18}, "repeat": True}
    with ScriptedModel(turns=[turn]) as model, client_of(model.url, max_tokens=150) as client:
        assert [client.status() for _ in range(3)] == [200, 200, 403]
        assert client.gateway.refused == (OVER_BUDGET,)


def test_close_waits_for_nobody_and_can_be_called_twice() -> None:
    with ScriptedModel(turns=[{"hang": True}]) as model, client_of(model.url) as client:
        connection = client.connect()
        connection.request("POST", "/v1/messages", json.dumps(BODY), {"x-api-key": client.gateway.token})
        assert model.wait_for(1)
        began = time.monotonic()
        assert client.gateway.close() == client.gateway.close() == Usage(requests=1)
        assert time.monotonic() - began < 2.0
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            connection.getresponse()
        assert client.gateway.limit is None
        with pytest.raises(ConnectionError):
            client.status()


def test_close_leaves_no_thread_behind(model: ScriptedModel) -> None:
    with client_of(model.url) as client:
        connection = client.connect()  # kept open between requests, as CLIs do
        for _ in range(2):
            connection.request("POST", "/v1/messages", json.dumps(BODY), {"x-api-key": client.gateway.token})
            with contextlib.closing(connection.getresponse()) as answer:
                assert answer.read()
        client.gateway.close()
        for thread in threading.enumerate():
            if thread.name == "reknit-gateway":
                thread.join(WAIT_S)
                assert not thread.is_alive()


@pytest.mark.parametrize("upstream", ["", "api.test", "ftp://api.test", "https://", "https://me:secret@api.test"])
def test_an_upstream_that_is_no_address_is_told_at_once(upstream: str) -> None:
    with pytest.raises(UsageProblem, match="no address of a model") as problem, client_of(upstream):
        pass
    assert "secret" not in problem.value.what


def test_a_listener_given_after_the_end_is_closed(model: ScriptedModel) -> None:
    with client_of(model.url) as client:
        client.gateway.close()
        late = socket.create_server(("127.0.0.1", 0))
        client.gateway.serve(late)
        assert late.fileno() == -1


def test_too_many_connections_are_turned_away(model: ScriptedModel) -> None:
    with client_of(model.url) as client:
        for _ in range(64):
            client.connect().connect()
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            client.status()


def test_the_key_is_in_no_text(model: ScriptedModel) -> None:
    with client_of(model.url) as client:
        client.status(target=f"/{KEY[:4]}")
        assert KEY not in repr(client.gateway) + str(client.gateway) + repr(client.gateway.refused)
