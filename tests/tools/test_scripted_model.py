"""The scripted model itself: which turn it takes, what it logs, and that it ends."""

import contextlib
import http.client
import json
import threading
import time
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.tools.model_client import ANTHROPIC, asked, whole
from tests.tools.scripted_model import Request, ScriptedModel, Turn

CALL = {"name": "Bash", "input": {"command": "ls"}}


def texts(model: ScriptedModel, *said: str, **body: Any) -> str:
    content = whole(model, ANTHROPIC, *said, **body)["content"]
    return "".join(block.get("text", block.get("name", "")) for block in content)


def test_turns_come_in_order_then_done() -> None:
    with ScriptedModel(turns=[{"text": "one"}, {"tools": [CALL]}]) as model:
        assert [texts(model) for _ in range(4)] == ["one", "Bash", "done", "done"]
        assert [request.turn for request in model.work] == ["[0]", "[1]", "over", "over"]


def test_a_turn_can_repeat() -> None:
    with ScriptedModel(turns=[{"text": "one"}, {"text": "again", "repeat": True}]) as model:
        assert [texts(model) for _ in range(4)] == ["one", "again", "again", "again"]


def test_the_last_marker_chooses_the_script_and_each_script_counts_for_itself() -> None:
    scripts = {"a": [{"text": "a0"}, {"text": "a1"}], "b": [{"text": "b0"}]}
    with ScriptedModel(scripts, turns=[{"text": "plain"}]) as model:
        a, b = "go [[script:a]]", "go [[script:b]]"
        assert texts(model, a) == "a0"
        assert texts(model, a, b) == "b0"
        assert texts(model, b, a) == "a1"
        assert texts(model, "[[script:none]]") == "plain"


def test_side_requests_take_no_turn() -> None:
    with ScriptedModel(turns=[{"text": "one"}]) as model:
        assert texts(model, tools=[]) == "ok"
        assert texts(model) == "one"
        assert [request.turn for request in model.log] == ["side", "[0]"]
        assert len(model.work) == 1


def test_a_decision_goes_before_the_script_and_takes_no_turn_of_it() -> None:
    full = threading.Event()
    full.set()

    def decide(request: Request) -> Turn | None:
        assert (request.api, request.turn) == ("anthropic", "")
        return {"text": f"full for {request.headers['x-api-key']}"} if full.is_set() else None

    with ScriptedModel(turns=[{"text": "one"}], decide=decide) as model:
        assert [texts(model), texts(model, tools=[])] == ["full for k", "full for k"]
        full.clear()
        assert [texts(model), texts(model, tools=[])] == ["one", "ok"]
        assert [request.turn for request in model.log] == ["decided", "side", "[0]", "side"]


def test_a_decision_that_fails_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    def decide(request: Request) -> Turn | None:
        raise LookupError("a bug of the test")

    with ScriptedModel(decide=decide) as model, pytest.raises(http.client.RemoteDisconnected):
        whole(model, ANTHROPIC)
    assert "a bug of the test" in capsys.readouterr().err


def test_an_answer_can_wait_for_an_event() -> None:
    may_answer = threading.Event()
    with ScriptedModel(turns=[{"text": "late", "delay": may_answer}]) as model:

        def allow() -> None:
            if model.wait_for(1):
                may_answer.set()

        waiting = threading.Thread(target=allow)
        waiting.start()
        assert texts(model) == "late"
        waiting.join()


def test_close_ends_an_answer_that_hangs_and_leaves_no_thread() -> None:
    before = threading.active_count()
    with ScriptedModel(turns=[{"hang": True}]) as model:
        connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=20)
        connection.request("POST", "/v1/messages", json.dumps(ANTHROPIC.body()))
        assert model.wait_for(1)
    with contextlib.closing(connection), pytest.raises(http.client.RemoteDisconnected):
        connection.getresponse()
    assert threading.active_count() == before


def test_the_log_shows_what_came_and_when() -> None:
    before = time.time()
    with ScriptedModel() as model:
        assert texts(model) == "done"
        between = time.time()
        for path, status in (("/v1/messages/count_tokens?beta=true", 200), ("/v1/files", 404)):
            with asked(model, path, {}) as answer:
                assert answer.status == status
    first, count, unknown = model.log
    assert (first.method, first.path, first.body) == ("POST", "/v1/messages", ANTHROPIC.body())
    assert first.headers["x-api-key"] == "k"
    assert [request.turn for request in model.log] == ["over", "", ""]
    assert [request.api for request in model.log] == ["anthropic", "anthropic", ""]
    assert before <= first.at <= between <= count.at <= unknown.at <= time.time()


def test_a_client_can_ask_which_models_there_are() -> None:
    with ScriptedModel() as model:
        with asked(model, "/v1/models", None) as answer:
            assert [offer["id"] for offer in json.loads(answer.read())["data"]] == ["scripted"]
        with asked(model, "/v1/anything", None) as answer:
            assert answer.status == 404
        assert [(request.method, request.path) for request in model.log] == [
            ("GET", "/v1/models"),
            ("GET", "/v1/anything"),
        ]
        assert model.work == []
