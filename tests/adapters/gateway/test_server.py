"""The life of a gateway: it serves, it ends at once, and leaves nothing behind."""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from reknit.core.agents.call import Usage
from reknit.core.errors import UsageError
from tests.tools.gateway_client import BODY, KEY, WAIT_S, about, client_of
from tests.tools.scripted_model import ScriptedModel


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(turns=[{"text": "hello", "repeat": True}]) as scripted:
        yield scripted


def test_close_waits_for_nobody_and_can_be_called_twice() -> None:
    with ScriptedModel(turns=[{"hang": True}]) as model, client_of(model.url) as client:
        connection = client.connect()
        connection.request("POST", "/v1/messages", json.dumps(BODY), {"x-api-key": client.gateway.token})
        assert model.wait_for(1)
        began = time.monotonic()
        used = client.gateway.close()
        assert used == client.gateway.close()
        assert time.monotonic() - began < 10
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            connection.getresponse()
        assert client.gateway.observation.limit is None
        with pytest.raises(ConnectionError):
            client.status()
    prompt_bound = len(json.dumps(BODY)) + 1_000
    # the model was at it, and nobody knows how long it thought
    assert used == Usage(requests=1, held_usd=about(prompt_bound * 2e-6 + 1_000 * 5e-6))


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


@pytest.mark.parametrize("upstream", ["api.test", "ftp://api.test", "https://", "https://me:secret@api.test"])
def test_an_upstream_that_is_no_address_is_told_at_once(upstream: str) -> None:
    with pytest.raises(UsageError, match="not a valid address") as problem, client_of(upstream):
        pass
    assert "secret" not in problem.value.message


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
        assert KEY not in repr(client.gateway) + str(client.gateway) + repr(client.gateway.observation)
