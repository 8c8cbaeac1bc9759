"""The scripted model itself: what it serves, what it logs, and that it ends."""

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.tools.scripted_model import ScriptedModel

TOOLS = [{"name": "Bash", "input_schema": {}}]
CALL = {"name": "Bash", "input": {"command": "ls"}}


def said(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts]


@contextlib.contextmanager
def asked(model: ScriptedModel, path: str = "/v1/messages", **body: Any) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=20)
    with contextlib.closing(connection):
        content = {"model": "m", "tools": TOOLS, "messages": said("hi"), **body}
        connection.request("POST", path, json.dumps(content), {"x-api-key": "k"})
        with contextlib.closing(connection.getresponse()) as answer:
            yield answer


def texts(model: ScriptedModel, **body: Any) -> str:
    with asked(model, **body) as answer:
        content = json.loads(answer.read())["content"]
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
        assert texts(model, messages=said(a)) == "a0"
        assert texts(model, messages=said(a, b)) == "b0"
        assert texts(model, messages=said(b, a)) == "a1"
        assert texts(model, messages=[{"role": "user", "content": "[[script:none]]"}]) == "plain"
        result = {"role": "user", "content": [{"type": "tool_result", "content": a}]}
        assert texts(model, messages=[result, {"role": "assistant", "content": a}]) == "done"


def test_side_requests_take_no_turn() -> None:
    with ScriptedModel(turns=[{"text": "one"}]) as model:
        assert texts(model, tools=[]) == "ok"
        assert texts(model) == "one"
        assert [request.turn for request in model.log] == ["side", "[0]"]
        assert len(model.work) == 1


def test_a_stream_holds_the_answer_and_its_usage() -> None:
    turn = {"text": "hello", "tools": [CALL], "usage": {"input": 7, "output": 9}}
    with ScriptedModel(turns=[turn]) as model, asked(model, stream=True) as answer:
        events = [json.loads(line[6:]) for line in answer.read().decode().splitlines() if line.startswith("data: ")]
    assert [event["type"] for event in events] == [
        "message_start",
        *["content_block_start", "content_block_delta", "content_block_stop"] * 2,
        "message_delta",
        "message_stop",
    ]
    assert events[0]["message"]["usage"]["input_tokens"] == 7
    assert events[2]["delta"] == {"type": "text_delta", "text": "hello"}
    assert json.loads(events[5]["delta"]["partial_json"]) == CALL["input"]
    assert events[-2]["usage"] == {"output_tokens": 9}
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


def test_an_error_has_status_headers_and_the_vendors_shape() -> None:
    turn = {"status": 429, "error": "slow down", "headers": {"retry-after": "3"}}
    with ScriptedModel(turns=[turn]) as model, asked(model) as answer:
        assert (answer.status, answer.getheader("retry-after")) == (429, "3")
        assert json.loads(answer.read())["error"] == {"type": "rate_limit_error", "message": "slow down"}


def test_an_error_can_come_inside_the_stream() -> None:
    with ScriptedModel(turns=[{"sse_error": "overloaded_error"}]) as model, asked(model, stream=True) as answer:
        assert answer.status == 200
        assert b"event: error" in answer.read()


def test_a_stream_can_be_cut() -> None:
    with (
        ScriptedModel(turns=[{"text": "hello", "drop": True}]) as model,
        asked(model, stream=True) as answer,
        pytest.raises(http.client.IncompleteRead),
    ):
        answer.read()


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
    connection = http.client.HTTPConnection("127.0.0.1", 1)
    with ScriptedModel(turns=[{"hang": True}]) as model:
        connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=20)
        connection.request("POST", "/v1/messages", json.dumps({"tools": TOOLS, "messages": []}))
        assert model.wait_for(1)
    with contextlib.closing(connection), pytest.raises(http.client.RemoteDisconnected):
        connection.getresponse()
    assert threading.active_count() == before


def test_the_log_shows_bodies_headers_and_tools() -> None:
    with ScriptedModel() as model:
        assert texts(model) == "done"
        with asked(model, "/v1/messages/count_tokens") as answer:
            assert json.loads(answer.read()) == {"input_tokens": 100}
        with asked(model, "/v1/files") as answer:
            assert answer.status == 404
    first = model.log[0]
    assert (first.method, first.path, first.tools, first.tool_types) == (
        *("POST", "/v1/messages"),
        *(("Bash",), frozenset({"custom"})),
    )
    assert first.headers["x-api-key"] == "k"
    assert [request.turn for request in model.log] == ["over", "", ""]
