"""Gemini generateContent as the scripted model speaks it."""

import json
from typing import Any

from tests.tools.model_client import GEMINI, asked, streamed, whole
from tests.tools.scripted_model import ScriptedModel

CALL = {"name": "Bash", "input": {"command": "ls"}}
USAGE = {"input": 7, "cached": 500, "output": 9, "reasoning": 4}
COUNTED = {
    "promptTokenCount": 507,
    "cachedContentTokenCount": 500,
    "candidatesTokenCount": 5,
    "thoughtsTokenCount": 4,
    "totalTokenCount": 516,
}


def parts(answer: dict[str, Any]) -> list[Any]:
    found: list[Any] = answer["candidates"][0]["content"]["parts"]
    return found


def test_an_answer_holds_text_calls_and_usage() -> None:
    with ScriptedModel(turns=[{"text": "hello", "tools": [CALL], "usage": USAGE}]) as model:
        answer = whole(model, GEMINI)
    text, call = parts(answer)
    assert text == {"text": "hello"}
    assert (call["functionCall"]["name"], call["functionCall"]["args"]) == ("Bash", CALL["input"])
    assert answer["candidates"][0]["finishReason"] == "STOP"
    assert answer["usageMetadata"] == COUNTED
    assert answer["modelVersion"] == "m"


def test_a_stream_brings_the_same_in_pieces() -> None:
    with ScriptedModel(turns=[{"text": "hello", "tools": [CALL], "usage": USAGE}]) as model:
        first, second, call, last = streamed(model, GEMINI)
    assert parts(first) + parts(second) == [{"text": "hel"}, {"text": "lo"}]
    assert parts(call)[0]["functionCall"]["name"] == "Bash"
    assert "finishReason" not in call["candidates"][0]
    assert last["candidates"][0]["finishReason"] == "STOP"
    assert first["usageMetadata"] == {"promptTokenCount": 507, "cachedContentTokenCount": 500, "totalTokenCount": 507}
    assert last["usageMetadata"] == COUNTED


def test_a_stream_without_server_sent_events_is_a_list() -> None:
    with ScriptedModel() as model, asked(model, "/v1beta/models/m:streamGenerateContent", GEMINI.body()) as answer:
        assert [parts(event) for event in json.loads(answer.read())[:2]] == [[{"text": "do"}], [{"text": "ne"}]]


def test_an_error_has_the_vendors_shape_with_its_details() -> None:
    wait = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}]
    with ScriptedModel(turns=[{"status": 429, "error": "slow down", "details": wait}, {"status": 500}]) as model:
        assert whole(model, GEMINI)["error"] == {
            "code": 429,
            "message": "slow down",
            "status": "RESOURCE_EXHAUSTED",
            "details": wait,
        }
        assert whole(model, GEMINI)["error"] == {"code": 500, "message": "INTERNAL", "status": "INTERNAL"}


def test_an_error_can_come_inside_the_stream() -> None:
    with ScriptedModel(turns=[{"sse_error": "UNAVAILABLE"}, {"sse_error": "STRANGE", "error": "odd"}]) as model:
        assert streamed(model, GEMINI) == [
            {"error": {"code": 503, "message": "UNAVAILABLE", "status": "UNAVAILABLE"}},
        ]
        assert streamed(model, GEMINI) == [{"error": {"code": 500, "message": "odd", "status": "STRANGE"}}]


def test_a_refusal_is_a_finish_without_content() -> None:
    turn = {"refusal": True, "text": "no", "tools": [CALL]}
    with ScriptedModel(turns=[turn, turn]) as model:
        assert whole(model, GEMINI)["candidates"] == [{"finishReason": "SAFETY", "index": 0}]
        (event,) = streamed(model, GEMINI)
    assert event["candidates"] == [{"finishReason": "SAFETY", "index": 0}]


def test_tokens_can_be_counted() -> None:
    with ScriptedModel() as model, asked(model, "/v1beta/models/m:countTokens", GEMINI.body()) as answer:
        assert json.loads(answer.read()) == {"totalTokens": 100}
        assert (model.work, model.log[0].api) == ([], "gemini")


def test_tools_of_the_vendor_have_their_own_type() -> None:
    with ScriptedModel() as model:
        whole(model, GEMINI, tools=[*GEMINI.tools, {"googleSearch": {}}])
    assert model.log[0].tools == ("Bash", "googleSearch")
    assert model.log[0].tool_types == {"functionDeclarations", "googleSearch"}


def test_results_of_tools_and_the_models_own_words_choose_no_script() -> None:
    marker = "[[script:a]]"
    result = {"role": "user", "parts": [{"functionResponse": {"name": "Bash", "response": {"output": marker}}}]}
    with ScriptedModel({"a": [{"text": "wrong"}]}, turns=[{"text": "right"}]) as model:
        answer = whole(model, GEMINI, contents=[result, {"role": "model", "parts": [{"text": marker}]}])
    assert parts(answer) == [{"text": "right"}]
