"""What a turn means in every wire format of the scripted model alike."""

import http.client
import json
import re

import pytest

from tests.tools.model_client import ALL, Ask, asked, streamed, whole
from tests.tools.scripted_model import ScriptedModel

TALK = {"text": "a long story", "tools": [{"name": "Bash", "input": {"command": "ls"}}]}

_CALL_ID = re.compile(r'"((?:call|toolu)_\d\w+)"')

every_wire = pytest.mark.parametrize("ask", ALL, ids=lambda ask: ask.api)


@every_wire
def test_the_log_knows_the_format_and_the_tools(ask: Ask) -> None:
    with ScriptedModel() as model:
        whole(model, ask)
        streamed(model, ask)
    assert [(request.api, request.tools, request.turn) for request in model.log] == [(ask.api, ("Bash",), "over")] * 2


@every_wire
def test_a_request_without_tools_is_a_side_request(ask: Ask) -> None:
    with ScriptedModel(turns=[{"text": "one"}]) as model:
        assert '"ok"' in json.dumps(whole(model, ask, tools=[]))
        assert '"one"' in json.dumps(whole(model, ask))


@every_wire
def test_what_the_user_said_chooses_the_script(ask: Ask) -> None:
    with ScriptedModel({"a": [{"text": "right"}]}, turns=[{"text": "wrong"}]) as model:
        assert '"right"' in json.dumps(whole(model, ask, "go [[script:a]]", "on"))
        assert [request.turn for request in model.work] == ["a[0]"]


@every_wire
def test_an_answer_has_the_text_and_the_call(ask: Ask) -> None:
    with ScriptedModel(turns=[TALK, TALK]) as model:
        answer = json.dumps(whole(model, ask))
        stream = json.dumps(streamed(model, ask))
    assert all(word in answer for word in ("a long story", "Bash", "command"))
    assert all(word in stream for word in ("a long", "story", "Bash", "command"))


@every_wire
def test_calls_of_two_answers_have_different_ids(ask: Ask) -> None:
    with ScriptedModel(turns=[{**TALK, "repeat": True}]) as model:
        first, second = (set(_CALL_ID.findall(json.dumps(whole(model, ask)))) for _ in range(2))
    assert first
    assert not first & second


@every_wire
def test_a_stream_can_be_cut_in_its_middle(ask: Ask) -> None:
    story = {"text": "a long story"}
    with ScriptedModel(turns=[story, {**story, "drop": True}]) as model:
        events = streamed(model, ask)
        with (
            asked(model, ask.stream_path, ask.body(stream=True)) as answer,
            pytest.raises(http.client.IncompleteRead) as cut,
        ):
            assert answer.status == 200
            answer.read()
    assert 0 < cut.value.partial.count(b"data: ") < len(events)
    assert cut.value.partial.endswith(b"\n\n")


@every_wire
def test_an_answer_can_be_cut_in_its_middle(ask: Ask) -> None:
    with (
        ScriptedModel(turns=[{"text": "a long story", "drop": True}]) as model,
        asked(model, ask.path, ask.body()) as answer,
        pytest.raises(http.client.IncompleteRead) as cut,
    ):
        answer.read()
    assert cut.value.partial.startswith(b"{")


@every_wire
@pytest.mark.parametrize("stream", [True, False])
def test_an_error_has_status_headers_and_message(ask: Ask, stream: bool) -> None:
    turn = {"status": 429, "error": "slow down", "headers": {"retry-after": "3"}}
    path = ask.stream_path if stream else ask.path
    with ScriptedModel(turns=[turn]) as model, asked(model, path, ask.body(stream=stream)) as answer:
        assert (answer.status, answer.getheader("retry-after")) == (429, "3")
        assert json.loads(answer.read())["error"]["message"] == "slow down"
