"""OpenAI Chat Completions as the scripted model speaks it."""

import json

from tests.tools.model_client import CHAT, streamed, whole
from tests.tools.scripted_model import ScriptedModel

CALL = {"name": "Bash", "input": {"command": "ls"}}
USAGE = {"input": 7, "cached": 500, "output": 9, "reasoning": 4}
COUNTED = {
    "prompt_tokens": 507,
    "prompt_tokens_details": {"cached_tokens": 500},
    "completion_tokens": 9,
    "completion_tokens_details": {"reasoning_tokens": 4},
    "total_tokens": 516,
}


def test_an_answer_holds_text_calls_and_usage() -> None:
    with ScriptedModel(turns=[{"text": "hello", "tools": [CALL], "usage": USAGE}, {"text": "bye"}]) as model:
        first, last = whole(model, CHAT), whole(model, CHAT)
    (choice,) = first["choices"]
    (call,) = choice["message"]["tool_calls"]
    assert (first["object"], first["model"], choice["finish_reason"]) == ("chat.completion", "m", "tool_calls")
    assert choice["message"]["content"] == "hello"
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("Bash", CALL["input"])
    assert first["usage"] == COUNTED
    assert last["choices"][0]["message"] == {"role": "assistant", "content": "bye"}
    assert last["choices"][0]["finish_reason"] == "stop"


def test_a_stream_brings_the_same_in_pieces() -> None:
    with ScriptedModel(turns=[{"text": "hello", "tools": [CALL, CALL], "usage": USAGE}]) as model:
        *chunks, usage, done = streamed(model, CHAT, stream_options={"include_usage": True})
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas[:3] == [{"role": "assistant", "content": ""}, {"content": "hel"}, {"content": "lo"}]
    calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
    assert [call["index"] for call in calls] == [0, 1]
    assert len({call["id"] for call in calls}) == 2
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None] * 5 + ["tool_calls"]
    assert (usage["choices"], usage["usage"]) == ([], COUNTED)
    assert done == {"done": True}


def test_a_stream_counts_only_for_a_client_that_asks() -> None:
    with ScriptedModel() as model:
        events = streamed(model, CHAT)
    assert not any("usage" in event for event in events)
    assert events[-1] == {"done": True}


def test_an_error_has_the_vendors_shape() -> None:
    with ScriptedModel(turns=[{"status": 401, "error": "who?", "code": "invalid_api_key"}]) as model:
        assert whole(model, CHAT)["error"] == {
            "message": "who?",
            "type": "authentication_error",
            "param": None,
            "code": "invalid_api_key",
        }


def test_an_error_can_come_inside_the_stream() -> None:
    with ScriptedModel(turns=[{"sse_error": "server_error", "error": "busy"}]) as model:
        event, _ = streamed(model, CHAT)
    assert event == {"error": {"message": "busy", "type": "server_error", "code": "server_error"}}


def test_a_refusal_is_a_filtered_answer() -> None:
    turn = {"refusal": True, "tools": [CALL]}
    with ScriptedModel(turns=[turn, turn]) as model:
        (choice,) = whole(model, CHAT)["choices"]
        *_, last, _ = streamed(model, CHAT)
    assert (choice["finish_reason"], choice["message"]) == (
        "content_filter",
        {"role": "assistant", "content": None},
    )
    assert last["choices"][0]["finish_reason"] == "content_filter"


def test_tools_have_a_type() -> None:
    with ScriptedModel() as model:
        whole(model, CHAT, tools=[*CHAT.tools, {"type": "custom", "custom": {"name": "patch"}}])
    assert model.log[0].tools == ("Bash", "patch")
    assert model.log[0].tool_types == {"function", "custom"}


def test_only_the_user_chooses_the_script() -> None:
    marker = "[[script:a]]"
    silent = [
        {"role": "system", "content": marker},
        {"role": "assistant", "content": marker},
        {"role": "tool", "tool_call_id": "c", "content": marker},
    ]
    with ScriptedModel({"a": [{"text": "said"}]}) as model:
        whole(model, CHAT, messages=silent)
        whole(model, CHAT, messages=[{"role": "user", "content": marker}])
    assert [request.turn for request in model.log] == ["over", "a[0]"]
