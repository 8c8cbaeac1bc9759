"""OpenAI Responses as the scripted model speaks it."""

import json

from tests.tools.model_client import RESPONSES, streamed, whole
from tests.tools.scripted_model import ScriptedModel, Turn

CALL = {"name": "Bash", "input": {"command": "ls"}}
PATCH = {"name": "apply_patch", "input": "*** Begin Patch", "custom": True}
REPORT = {"name": "report", "input": {"score": 1}, "namespace": "mcp__rep"}
SAID = {"type": "output_text", "text": "hello", "annotations": []}


def test_an_answer_holds_text_calls_and_usage() -> None:
    usage = {"input": 7, "cached": 500, "cache_write": 30, "output": 9, "reasoning": 4}
    with ScriptedModel(turns=[{"text": "hello", "tools": [CALL, PATCH, REPORT], "usage": usage}]) as model:
        answer = whole(model, RESPONSES)
    said, call, patch, report = answer["output"]
    assert (answer["object"], answer["status"], answer["model"]) == ("response", "completed", "m")
    assert (said["type"], said["role"], said["content"]) == ("message", "assistant", [SAID])
    assert (call["type"], json.loads(call["arguments"])) == ("function_call", CALL["input"])
    assert (patch["type"], patch["name"], patch["input"]) == ("custom_tool_call", "apply_patch", "*** Begin Patch")
    assert (report["type"], report["namespace"]) == ("function_call", "mcp__rep")
    assert "namespace" not in call
    assert len({item["call_id"] for item in (call, patch, report)}) == 3
    assert answer["usage"] == {
        "input_tokens": 537,
        "input_tokens_details": {"cached_tokens": 500, "cache_write_tokens": 30},
        "output_tokens": 9,
        "output_tokens_details": {"reasoning_tokens": 4},
        "total_tokens": 546,
    }


def test_a_stream_brings_the_same_in_pieces() -> None:
    with ScriptedModel(turns=[{"text": "hello", "tools": [CALL, PATCH]}]) as model:
        events = streamed(model, RESPONSES)
    deltas = ("output_text", "function_call_arguments", "custom_tool_call_input")
    assert [event["type"] for event in events] == [
        "response.created",
        *(
            f"response.{kind}"
            for delta in deltas
            for kind in ("output_item.added", f"{delta}.delta", f"{delta}.delta", "output_item.done")
        ),
        "response.completed",
    ]
    assert [event["sequence_number"] for event in events] == list(range(14))
    assert (events[0]["response"]["status"], events[0]["response"]["output"]) == ("in_progress", [])
    assert "".join(event["delta"] for event in events[2:4]) == "hello"
    assert json.loads("".join(event["delta"] for event in events[6:8])) == CALL["input"]
    assert "".join(event["delta"] for event in events[10:12]) == PATCH["input"]
    whole_answer = events[-1]["response"]
    assert [events[place]["item"] for place in (4, 8, 12)] == whole_answer["output"]
    assert [events[1]["item"]["content"], events[5]["item"]["arguments"], events[9]["item"]["input"]] == [[], "", ""]
    assert whole_answer["usage"]["total_tokens"] == 120


def test_an_error_has_the_vendors_shape() -> None:
    turns: list[Turn] = [{"status": 429, "error": "pay", "code": "insufficient_quota"}, {"status": 503}]
    with ScriptedModel(turns=turns) as model:
        quota, down = whole(model, RESPONSES)["error"], whole(model, RESPONSES)["error"]
    assert quota == {"message": "pay", "type": "rate_limit_error", "param": None, "code": "insufficient_quota"}
    assert down == {"message": "server_error", "type": "server_error", "param": None, "code": None}


def test_an_answer_can_fail_inside_the_stream() -> None:
    with ScriptedModel(turns=[{"sse_error": "server_is_overloaded", "error": "busy"}]) as model:
        created, failed = streamed(model, RESPONSES)
    assert (created["type"], failed["type"]) == ("response.created", "response.failed")
    assert failed["response"]["status"] == "failed"
    assert failed["response"]["error"] == {"code": "server_is_overloaded", "message": "busy"}


def test_a_refusal_is_a_part_of_a_message() -> None:
    turn = {"refusal": True, "text": "I will not.", "tools": [CALL]}
    with ScriptedModel(turns=[turn, turn, {"refusal": True}]) as model:
        (said,) = whole(model, RESPONSES)["output"]
        events = streamed(model, RESPONSES)
        (silent,) = whole(model, RESPONSES)["output"]
    assert said["content"] == [{"type": "refusal", "refusal": "I will not."}]
    assert "".join(event["delta"] for event in events if event["type"] == "response.refusal.delta") == "I will not."
    assert events[-1]["response"]["output"][0]["content"] == said["content"]
    assert silent["content"][0]["refusal"]


def test_tools_may_come_inside_the_input_and_in_namespaces() -> None:
    more = {
        "type": "additional_tools",
        "role": "developer",
        "tools": [
            {"type": "namespace", "name": "functions", "tools": [{"type": "custom", "name": "exec"}]},
            {"type": "web_search"},
        ],
    }
    with ScriptedModel() as model:
        whole(model, RESPONSES, input=[more])
        whole(model, RESPONSES, input=[more], tools=None)
        whole(model, RESPONSES, input="hi", tools=None)
    assert [request.tools for request in model.log] == [("Bash", "exec", "web_search"), ("exec", "web_search"), ()]
    assert model.log[0].tool_types == {"function", "custom", "web_search"}
    assert [request.turn for request in model.log] == ["over", "over", "side"]


def test_only_the_user_chooses_the_script() -> None:
    marker = "[[script:a]]"
    silent = [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": marker}]},
        {"type": "function_call_output", "call_id": "c", "output": marker},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": marker}]},
    ]
    with ScriptedModel({"a": [{"text": "said"}]}) as model:
        whole(model, RESPONSES, input=silent)
        whole(model, RESPONSES, input=marker)
    assert [request.turn for request in model.log] == ["over", "a[0]"]
