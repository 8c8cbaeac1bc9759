"""Gemini's wire: what may pass in either spelling, how it is capped, and what its answers tell."""

import pytest

from reknit.core.gateway.metering import AnswerFacts, Tokens
from reknit.core.gateway.wire import gemini
from reknit.core.gateway.wire.gemini import DROPPED, FIELDS, to_camel
from reknit.core.gateway.wire.shapes import DOCUMENT_TOKENS, IMAGE_TOKENS, Bulk, find_refusal
from reknit.core.text.untrusted_input import Json

LINK = {"fileData": {"fileUri": "https://evil.test/x"}}


def said(*parts: object) -> Json:
    return {"contents": [{"role": "user", "parts": list(parts)}]}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"contents": []}, id="no tools"),
        pytest.param({"tools": [{"functionDeclarations": [{"name": "fileData"}]}]}, id="a tool of the client"),
        pytest.param({"tools": [{"function_declarations": []}]}, id="the same in the other spelling"),
        pytest.param(said({"inlineData": {"mimeType": "image/png", "data": "aGk="}}), id="an image inside the body"),
        pytest.param(said({"functionCall": {"name": "f", "args": LINK}}), id="a call's arguments"),
        pytest.param(said({"functionResponse": {"name": "f", "response": LINK}}), id="a tool's result"),
        pytest.param({"generationConfig": {"candidateCount": 1, "responseModalities": ["TEXT"]}}, id="one text"),
        pytest.param({"generateContentRequest": {"contents": []}}, id="a count of a request"),
        pytest.param({"serviceTier": "standard"}, id="the standard tier"),
    ],
)
def test_a_body_that_stays_between_agent_and_model_passes(content: Json) -> None:
    assert gemini.find_refusal(content, allow_search=False) == ""


@pytest.mark.parametrize(
    ("content", "word"),
    [
        pytest.param({"cachedContent": "cachedContents/x"}, "cachedContent", id="a stored prompt"),
        pytest.param({"cached_content": "cachedContents/x"}, "cachedContent", id="a stored prompt, otherwise spelled"),
        pytest.param({"generationConfig": {}, "generation_config": {}}, "twice", id="both spellings"),
        pytest.param({"serviceTier": "priority"}, "serviceTier", id="a dearer tier"),
        pytest.param({"tools": {}}, "not a list", id="tools that are no list"),
        pytest.param({"tools": [{"urlContext": {}}]}, "urlContext", id="fetch"),
        pytest.param({"tools": [{"url_context": {}}]}, "urlContext", id="fetch, otherwise spelled"),
        pytest.param({"tools": [{"functionDeclarations": [], "codeExecution": {}}]}, "codeExecution", id="two in one"),
        pytest.param({"tools": [{"googleMaps": {}}]}, "googleMaps", id="maps"),
        pytest.param({"tools": [{"fileSearch": {}}]}, "fileSearch", id="file search"),
        pytest.param({"tools": [{"mcpServers": []}]}, "mcpServers", id="remote MCP"),
        pytest.param({"tools": [{"googleSearch": {}}]}, "googleSearch", id="search without leave"),
        pytest.param({"generationConfig": []}, "not an object", id="a config that is no object"),
        pytest.param(
            {"generationConfig": {"maxOutputTokens": 1, "max_output_tokens": 9}}, "duplicate name", id="two maxima"
        ),
        pytest.param({"generationConfig": {"candidateCount": 8}}, "candidateCount", id="more than one answer"),
        pytest.param({"generationConfig": {"responseModalities": ["IMAGE"]}}, "responseModalities", id="a picture"),
        pytest.param(
            {"generationConfig": {"responseModalities": "IMAGE"}}, "responseModalities", id="a picture's word"
        ),
        pytest.param(said(LINK), "fileData", id="a file by address"),
        pytest.param(said({"file_data": {"file_uri": "x"}}), "fileData", id="a file by address, otherwise spelled"),
        pytest.param(said({"inlineData": {}, "inline_data": {}}), "twice", id="both spellings in a part"),
        pytest.param({"system_instruction": {"parts": [LINK]}}, "fileData", id="a file in the system prompt"),
        pytest.param(said({"functionResponse": {"parts": [LINK]}}), "fileData", id="a file beside a tool's result"),
        pytest.param({"generateContentRequest": said(LINK)}, "fileData", id="a file in a request that is counted"),
    ],
)
def test_a_body_that_lets_the_vendor_reach_out_is_refused(content: Json, word: str) -> None:
    assert word in gemini.find_refusal(content, allow_search=False)


def test_search_passes_when_allowed_and_nothing_else_with_it() -> None:
    search: Json = {"tools": [{"google_search": {}}]}
    assert gemini.searches(search)
    assert gemini.find_refusal(search, allow_search=True) == ""
    assert "urlContext" in gemini.find_refusal({"tools": [{"googleSearch": {}}, {"urlContext": {}}]}, allow_search=True)


def test_the_model_is_named_in_the_path() -> None:
    assert gemini.read_model("/v1beta/models/gemini-2.5-pro:countTokens", {"model": "other"}) == "gemini-2.5-pro"
    assert gemini.to_credential_headers("k") == {"x-goog-api-key": "k"}


def test_pictures_count_more_than_their_bytes() -> None:
    content = said(
        {"inline_data": {"mime_type": "image/png", "data": "aGk="}},
        {"inlineData": {"mimeType": "application/pdf", "data": "cGRm"}},
        {"text": "x"},
    )
    assert set(gemini.list_bulks(content)) == {Bulk("aGk=", IMAGE_TOKENS), Bulk("cGRm", DOCUMENT_TOKENS)}
    assert not gemini.may_shrink(content)


@pytest.mark.parametrize(
    ("content", "asked", "sent"),
    [
        pytest.param({}, None, {"generationConfig": {"maxOutputTokens": 3000}}, id="none"),
        pytest.param(
            {"generationConfig": {"maxOutputTokens": 9, "topK": 1}},
            9,
            {"generationConfig": {"maxOutputTokens": 3000, "topK": 1}},
            id="one",
        ),
        pytest.param(
            {"generation_config": {"max_output_tokens": 9}},
            9,
            {"generationConfig": {"maxOutputTokens": 3000}},
            id="otherwise spelled",
        ),
        pytest.param(
            {"generationConfig": {"maxOutputTokens": "9"}},
            None,
            {"generationConfig": {"maxOutputTokens": 3000}},
            id="text",
        ),
    ],
)
def test_a_maximum_is_written(content: Json, asked: int | None, sent: Json) -> None:
    assert gemini.find_least_output(content) == 1024
    assert gemini.read_max_output(content) == asked
    assert gemini.limit_output(content, 3000, 5) == sent


@pytest.mark.parametrize(
    ("budget", "max_output", "sent"),
    [(20_000, 30_000, 20_000), (20_000, 3_000, 1_976), (20_000, 1_024, 128), (-1, 3_000, -1)],
)
@pytest.mark.parametrize("name", ["thinkingBudget", "thinking_budget"])
def test_thinking_leaves_room_for_the_answer(name: str, budget: int, max_output: int, sent: int) -> None:
    content: Json = {"generationConfig": {"thinkingConfig": {name: budget, "includeThoughts": True}}}
    config = gemini.limit_output(content, max_output, 5)["generationConfig"]
    assert isinstance(config, dict)
    left = sent == budget
    thinking = {(name if left else "thinkingBudget"): sent, "includeThoughts": True}
    assert config == {"maxOutputTokens": max_output, "thinkingConfig": thinking}


USAGE = {
    "promptTokenCount": 100,
    "toolUsePromptTokenCount": 5,
    "cachedContentTokenCount": 90,
    "candidatesTokenCount": 20,
    "thoughtsTokenCount": 13,
}
COUNTED = Tokens(input=15, cached=90, output=33)


@pytest.mark.parametrize(
    ("event", "told"),
    [
        pytest.param({"candidates": [{}], "usageMetadata": USAGE}, AnswerFacts(COUNTED), id="a part"),
        pytest.param(
            {"candidates": [{"finishReason": "STOP"}], "usageMetadata": USAGE},
            AnswerFacts(COUNTED, final=True),
            id="an end",
        ),
        pytest.param({"candidates": [{"finishReason": "STOP"}]}, AnswerFacts(), id="an end without counts"),
        pytest.param(
            {"candidates": [{"finishReason": "SAFETY"}], "usageMetadata": {}},
            AnswerFacts(final=True, refused=True),
            id="refused",
        ),
        pytest.param(
            {"promptFeedback": {"blockReason": "OTHER"}, "usageMetadata": {}},
            AnswerFacts(final=True, refused=True),
            id="blocked",
        ),
        pytest.param({"promptFeedback": {}}, AnswerFacts(), id="not blocked"),
        pytest.param(
            {"candidates": [{"groundingMetadata": {"webSearchQueries": ["a", "b"]}}, {"groundingMetadata": {}}]},
            AnswerFacts(Tokens(searches=2)),
            id="searches",
        ),
        pytest.param({"error": {"code": 503}}, AnswerFacts(status=503), id="overloaded"),
        pytest.param(
            {"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}},
            AnswerFacts(status=401),
            id="not its key",
        ),
        pytest.param(
            {"error": {"code": 429, "details": [{"@type": "Help"}, {"@type": "RetryInfo", "retryDelay": "34.07s"}]}},
            AnswerFacts(status=429, wait_s=34.07),
            id="limited with a time",
        ),
    ],
)
def test_what_an_answer_tells(event: Json, told: AnswerFacts) -> None:
    assert gemini.read_event(event) == told


@pytest.mark.parametrize(
    ("status", "word"), [(403, "PERMISSION_DENIED"), (429, "RESOURCE_EXHAUSTED"), (502, "INTERNAL")]
)
def test_errors_are_worded_as_the_vendor_does(status: int, word: str) -> None:
    assert gemini.to_error(status, "why") == {"error": {"code": status, "message": "why", "status": word}}


def refused(content: Json) -> str:
    return find_refusal(content, FIELDS, spelling=to_camel)


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("inline_data", "inlineData"),
        ("inlineData", "inlineData"),
        ("parameters_json_schema", "parametersJsonSchema"),
        ("_x", "X"),
        ("top_", "top_"),
        ("top_K", "top_K"),
    ],
)
def test_a_name_in_snake_case_is_the_listed_one(name: str, listed: str) -> None:
    assert to_camel(name) == listed


def test_a_name_in_two_spellings_is_refused() -> None:
    twice: Json = {"contents": [{"parts": [{"inlineData": {}, "inline_data": {}}]}]}
    assert refused(twice) == "not allowed: contents.parts (a name is given twice)"


def test_a_request_that_is_counted_is_read_like_one_that_is_sent() -> None:
    link: Json = {"contents": [{"parts": [{"file_data": {"file_uri": "https://evil.test"}}]}]}
    assert refused(link) == "not allowed: contents.parts.fileData"
    assert refused({"generateContentRequest": link}) == "not allowed: generateContentRequest.contents.parts.fileData"
    inside: Json = {"generateContentRequest": {"generateContentRequest": {}}}
    assert refused(inside) == "not allowed: generateContentRequest.generateContentRequest"


def test_statistics_are_not_among_the_fields() -> None:
    assert not DROPPED & FIELDS.keys()
