"""Anthropic Messages as the scripted model speaks it."""

import json

from tests.tools.model_client import ANTHROPIC, asked, streamed, whole
from tests.tools.scripted_model import ScriptedModel

CALL = {"name": "Bash", "input": {"command": "ls"}}


def test_a_stream_holds_the_answer_and_its_usage() -> None:
    turn = {"text": "hello", "tools": [CALL], "usage": {"input": 7, "cached": 500, "cache_write": 30, "output": 9}}
    with ScriptedModel(turns=[turn]) as model:
        events = streamed(model, ANTHROPIC)
    assert [event["type"] for event in events] == [
        "message_start",
        *["content_block_start", "content_block_delta", "content_block_stop"] * 2,
        "message_delta",
        "message_stop",
    ]
    assert events[0]["message"]["usage"] == {
        "input_tokens": 7,
        "cache_read_input_tokens": 500,
        "cache_creation_input_tokens": 30,
        "output_tokens": 1,
    }
    assert events[2]["delta"] == {"type": "text_delta", "text": "hello"}
    assert json.loads(events[5]["delta"]["partial_json"]) == CALL["input"]
    assert events[-2]["usage"] == {"output_tokens": 9}
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


def test_an_error_has_the_vendors_shape() -> None:
    with ScriptedModel(turns=[{"status": 429}, {"status": 400, "code": "billing_error", "error": "pay"}]) as model:
        assert whole(model, ANTHROPIC)["error"] == {"type": "rate_limit_error", "message": "rate_limit_error"}
        assert whole(model, ANTHROPIC)["error"] == {"type": "billing_error", "message": "pay"}


def test_an_error_can_come_inside_the_stream() -> None:
    with ScriptedModel(turns=[{"sse_error": "overloaded_error"}]) as model:
        (event,) = streamed(model, ANTHROPIC)
    assert event == {"type": "error", "error": {"type": "overloaded_error", "message": "scripted"}}


def test_a_refusal_is_a_reason_to_stop() -> None:
    turn = {"refusal": True, "tools": [CALL]}
    with ScriptedModel(turns=[turn, turn]) as model:
        answer = whole(model, ANTHROPIC)
        assert (answer["stop_reason"], answer["content"]) == ("refusal", [])
        assert streamed(model, ANTHROPIC)[-2]["delta"]["stop_reason"] == "refusal"


def test_tokens_can_be_counted() -> None:
    with (
        ScriptedModel() as model,
        asked(model, "/v1/messages/count_tokens", ANTHROPIC.body()) as answer,
    ):
        assert json.loads(answer.read()) == {"input_tokens": 100}
        assert model.work == []


def test_only_the_user_chooses_the_script() -> None:
    marker = "[[script:a]]"
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": marker}]}
    with ScriptedModel({"a": [{"text": "said"}]}) as model:
        whole(model, ANTHROPIC, messages=[result, {"role": "assistant", "content": marker}])
        whole(model, ANTHROPIC, messages=[{"role": "user", "content": marker}])
    assert [request.turn for request in model.log] == ["over", "a[0]"]


def test_tools_of_the_vendor_have_their_own_type() -> None:
    search = {"type": "web_search_20250305", "name": "web_search"}
    with ScriptedModel() as model:
        whole(model, ANTHROPIC, tools=[*ANTHROPIC.tools, search])
    assert model.log[0].tools == ("Bash", "web_search")
    assert model.log[0].tool_types == {"custom", "web_search_20250305"}
