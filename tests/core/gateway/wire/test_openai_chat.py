"""The Chat Completions wire: what may pass, how it is capped, and what its answers tell."""

import pytest

from reknit.core.gateway.metering import AnswerFacts, Tokens
from reknit.core.gateway.wire import openai_chat
from reknit.core.gateway.wire.shapes import DOCUMENT_TOKENS, IMAGE_TOKENS, Bulk
from reknit.core.text.untrusted_input import Json

FUNCTION = {"type": "function", "function": {"name": "f"}}
DATA = "data:image/png;base64,aGk="


def said(*parts: object) -> Json:
    return {"messages": [{"role": "user", "content": list(parts)}]}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"model": "m", "messages": []}, id="no tools"),
        pytest.param({"tools": [FUNCTION, {"type": "custom"}], "store": False, "n": 1}, id="tools of the client"),
        pytest.param({"modalities": ["text"]}, id="text"),
        pytest.param({"reasoning": {"effort": "high"}, "reasoning_effort": "high", "verbosity": "low"}, id="thinking"),
        pytest.param(
            {"temperature": 0, "top_p": 1, "seed": 5, "stop": None, "user": "u", "tool_choice": "auto"}, id="settings"
        ),
        pytest.param(said({"type": "image_url", "image_url": {"url": DATA}}), id="an image in the body"),
    ],
)
def test_a_body_that_stays_between_agent_and_model_passes(content: Json) -> None:
    assert openai_chat.find_refusal(content, allow_search=False) == ""


@pytest.mark.parametrize(
    ("content", "word"),
    [
        pytest.param({"store": True}, "store", id="a stored answer"),
        pytest.param({"n": 8}, "not allowed: n", id="more than one answer"),
        pytest.param({"modalities": ["text", "audio"]}, "modalities", id="sound"),
        pytest.param({"prediction": {"content": "x"}}, "prediction", id="a prediction"),
        pytest.param({"plugins": [{"id": "web"}]}, "plugins", id="plugins of a router"),
        pytest.param({"transforms": ["middle-out"]}, "transforms", id="a prompt that is changed on its way"),
        pytest.param({"search_parameters": {"mode": "on"}}, "search_parameters", id="a search by another name"),
        pytest.param({"a_new_field": False}, "a_new_field", id="whatever is not known"),
        pytest.param({"reasoning": "high"}, "reasoning", id="thinking that is no object"),
        pytest.param({"service_tier": "priority"}, "service_tier", id="a dearer tier"),
        pytest.param({"model": "gpt-5:online"}, ":online", id="a model that searches by itself"),
        pytest.param({"web_search_options": {}}, "web_search_options", id="search without leave"),
        pytest.param({"tools": "all"}, "not a list", id="tools that are no list"),
        pytest.param({"tools": [FUNCTION, {"type": "mcp"}]}, "mcp", id="remote MCP"),
        pytest.param(said({"type": "image_url", "image_url": {"url": "https://x"}}), "image_url", id="a link"),
        pytest.param(said({"type": "file", "file": {"file_id": "f"}}), "file_id", id="a stored file"),
    ],
)
def test_a_body_that_lets_the_vendor_reach_out_is_refused(content: Json, word: str) -> None:
    assert word in openai_chat.find_refusal(content, allow_search=False)


def test_search_passes_when_allowed() -> None:
    search: Json = {"model": "gpt-5-search-api", "web_search_options": {}}
    assert openai_chat.searches(search)
    assert openai_chat.find_refusal(search, allow_search=True) == ""


def test_pictures_and_files_count_more_than_their_bytes() -> None:
    content = said(
        {"type": "image_url", "image_url": {"url": DATA}},
        {"type": "file", "file": {"file_data": "cGRm"}},
        {"type": "input_audio", "input_audio": {"data": "x"}},
    )
    assert set(openai_chat.list_bulks(content)) == {
        Bulk(DATA, IMAGE_TOKENS),
        Bulk("cGRm", DOCUMENT_TOKENS),
        Bulk("{'data': 'x'}", DOCUMENT_TOKENS),
    }
    assert not openai_chat.may_shrink(content)


@pytest.mark.parametrize(
    ("content", "asked", "sent"),
    [
        pytest.param({}, None, {"max_completion_tokens": 3000}, id="none"),
        pytest.param({"max_tokens": 9}, 9, {"max_tokens": 3000}, id="the old name stays"),
        pytest.param(
            {"max_tokens": 9, "max_completion_tokens": 8},
            8,
            {"max_tokens": 3000, "max_completion_tokens": 3000},
            id="both",
        ),
        pytest.param({"max_tokens": -1}, None, {"max_tokens": 3000}, id="no bound"),
        pytest.param(
            {"max_tokens": -1, "max_completion_tokens": 8},
            None,
            {"max_tokens": 3000, "max_completion_tokens": 3000},
            id="one of two without a bound",
        ),
        pytest.param(
            {"store": None}, None, {"store": False, "max_completion_tokens": 3000}, id="kept by nobody who would"
        ),
        pytest.param(
            {"stream": True, "stream_options": {"x": 1}},
            None,
            {"stream": True, "max_completion_tokens": 3000, "stream_options": {"x": 1, "include_usage": True}},
            id="a stream tells its usage",
        ),
        pytest.param(
            {"stream": True, "stream_options": None},
            None,
            {"stream": True, "max_completion_tokens": 3000, "stream_options": {"include_usage": True}},
            id="a stream without options too",
        ),
    ],
)
def test_a_maximum_is_written(content: Json, asked: int | None, sent: Json) -> None:
    assert openai_chat.find_least_output(content) == 1024
    assert openai_chat.read_max_output(content) == asked
    assert openai_chat.limit_output(content, 3000, 5) == sent


USAGE = {
    "prompt_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 80},
    "completion_tokens": 3,
    "total_tokens": 133,
}
COUNTED = Tokens(input=20, cached=80, output=33, searches=1)


@pytest.mark.parametrize(
    ("event", "told"),
    [
        pytest.param({"choices": [{"delta": {"content": "a"}}], "usage": None}, AnswerFacts(), id="a part"),
        pytest.param({"choices": [], "usage": USAGE}, AnswerFacts(COUNTED, final=True), id="the last part"),
        pytest.param(
            {"choices": [{"finish_reason": None}], "usage": USAGE}, AnswerFacts(COUNTED), id="counts on the way"
        ),
        pytest.param(
            {"choices": [{"finish_reason": "stop"}], "usage": USAGE}, AnswerFacts(COUNTED, final=True), id="whole"
        ),
        pytest.param({"choices": [{"finish_reason": "content_filter"}]}, AnswerFacts(refused=True), id="a filter"),
        pytest.param({"choices": [{"message": {"refusal": "no"}}]}, AnswerFacts(refused=True), id="a refusal"),
        pytest.param(
            {"choices": [{"delta": {"refusal": "no"}}]}, AnswerFacts(refused=True), id="a refusal in a stream"
        ),
        pytest.param({"error": {"code": 429}}, AnswerFacts(status=429), id="limited by a number"),
        pytest.param({"error": {"code": "rate_limit_exceeded"}}, AnswerFacts(status=429), id="limited by a word"),
        pytest.param({"error": {"code": "insufficient_quota"}}, AnswerFacts(status=403), id="somebody must pay"),
    ],
)
def test_what_an_answer_tells(event: Json, told: AnswerFacts) -> None:
    assert openai_chat.read_event(event) == told


@pytest.mark.parametrize(
    "part",
    [
        pytest.param({"type": "video_url", "video_url": {"url": "https://x/?secret"}}, id="a film"),
        pytest.param({"type": "audio_url", "audio_url": "https://x/?secret"}, id="a sound"),
        pytest.param({"type": "file", "file": {"file_data": "https://x/?secret"}}, id="a file"),
        pytest.param({"type": "file", "file": {"file_data": " " * 70 + "https://x/?secret"}}, id="a file after blanks"),
        pytest.param({"type": "input_audio", "input_audio": {"data": "https://x/?secret"}}, id="sound as data"),
    ],
)
def test_what_a_service_would_fetch_does_not_pass(part: Json) -> None:
    body: Json = {"model": "m", "messages": [{"role": "user", "content": [part]}]}
    assert openai_chat.find_refusal(body, allow_search=False).startswith("not allowed: messages.content.")
