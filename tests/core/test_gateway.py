"""The gateway's decisions that no wire format changes."""

import json

import pytest

from reknit.core import gateway
from reknit.core.passage import ProviderName
from reknit.core.wire import WIRES

GEMINI = "/v1beta/models/gemini-2.5-pro"


@pytest.mark.parametrize(
    ("provider", "method", "target", "charge"),
    [
        ("anthropic", "POST", "/v1/messages", "priced"),
        ("anthropic", "POST", "/v1/messages?beta=true", "priced"),
        ("anthropic", "POST", "/v1/messages/count_tokens", "free"),
        ("gemini", "POST", f"{GEMINI}:generateContent", "priced"),
        ("gemini", "POST", f"{GEMINI}:streamGenerateContent?alt=sse&key=k", "priced"),
        ("gemini", "POST", f"{GEMINI}:countTokens", "free"),
        ("openai", "POST", "/v1/responses", "priced"),
        ("openai", "GET", "/v1/models", "free"),
        ("openai_chat", "POST", "/v1/chat/completions", "priced"),
        ("openai_chat", "GET", "/v1/models", "free"),
    ],
)
def test_these_paths_pass(provider: ProviderName, method: str, target: str, charge: str) -> None:
    assert gateway.charge_of(WIRES[provider], method, target) == charge


@pytest.mark.parametrize(
    ("provider", "method", "target"),
    [
        pytest.param("anthropic", "GET", "/v1/messages", id="another method"),
        pytest.param("anthropic", "POST", "/v1/files", id="another path"),
        pytest.param("anthropic", "POST", "/v1/messages/", id="a slash more"),
        pytest.param("anthropic", "POST", "/v1/messages/../files", id="a way up"),
        pytest.param("anthropic", "POST", "/v1/messages/batches", id="something below"),
        pytest.param("anthropic", "POST", "http://evil.test/v1/messages", id="an absolute address"),
        pytest.param("anthropic", "POST", "/v1/%6dessages", id="an escaped letter"),
        pytest.param("anthropic", "CONNECT", "evil.test:443", id="a tunnel"),
        pytest.param("anthropic", "POST", "/v1/messages\n", id="a line more"),
        pytest.param("anthropic", "POST", "/v1/responses", id="another vendor's path"),
        pytest.param("gemini", "POST", "/v1beta/models/a/../../files:generateContent", id="a way up in a model's name"),
        pytest.param("gemini", "POST", "/v1beta/cachedContents", id="gemini's caches"),
        pytest.param("openai", "POST", "/v1/responses/resp_1/cancel", id="a stored answer"),
        pytest.param("openai", "POST", "/v1/files", id="openai's files"),
        pytest.param("openai", "POST", "/v1/models", id="a listing by another method"),
    ],
)
def test_all_other_paths_are_refused(provider: ProviderName, method: str, target: str) -> None:
    assert gateway.charge_of(WIRES[provider], method, target) is None


@pytest.mark.parametrize(
    ("provider", "target", "passed"),
    [
        ("anthropic", "/v1/messages?beta=true", "/v1/messages?beta=true"),
        ("anthropic", "/v1/messages?beta=true&to=evil", "/v1/messages?beta=true"),
        ("anthropic", "/v1/messages?alt=sse", "/v1/messages"),
        ("gemini", f"{GEMINI}:streamGenerateContent?key=k&alt=sse", f"{GEMINI}:streamGenerateContent?alt=sse"),
        ("openai", "/v1/responses?api-version=1", "/v1/responses"),
    ],
)
def test_only_the_known_parts_of_a_query_are_passed_on(provider: ProviderName, target: str, passed: str) -> None:
    assert gateway.upstream_target(WIRES[provider], target) == passed


@pytest.mark.parametrize("provider", WIRES)
def test_headers_are_chosen_by_name_in_any_case(provider: ProviderName) -> None:
    secret = {"X-Api-Key", "x-goog-api-key", "Authorization", "Cookie", "Connection", "OpenAI-Organization"}
    given = [("User-Agent", "cli"), *((name, "v") for name in secret)]
    assert gateway.chosen(given, WIRES[provider].REQUEST_HEADERS) == {"user-agent": "cli"}


@pytest.mark.parametrize(
    ("headers", "target", "token"),
    [
        pytest.param({"x-api-key": "t"}, "/", "t", id="as anthropic's key"),
        pytest.param({"x-goog-api-key": "t"}, "/", "t", id="as google's key"),
        pytest.param({"authorization": "Bearer t"}, "/", "t", id="as a bearer token"),
        pytest.param({"authorization": "bearer t"}, "/", "t", id="as a bearer token in small letters"),
        pytest.param({"authorization": "Basic t"}, "/", "", id="not as a password"),
        pytest.param({}, "/?alt=sse&key=t", "t", id="in the query"),
        pytest.param({"x-api-key": "t", "authorization": "Bearer other"}, "/?key=third", "t", id="the key first"),
        pytest.param({}, "/", "", id="none"),
    ],
)
def test_the_token_is_found(headers: dict[str, str], target: str, token: str) -> None:
    assert gateway.presented_token(headers, target) == token


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"hello", id="no JSON"),
        pytest.param(b"[]", id="no object"),
        pytest.param(b"\xff\xfe{\x00}\x00", id="another encoding"),
        pytest.param(b'{"tools": [{"type": "web_fetch_1"}], "tools": []}', id="a name given twice"),
        pytest.param(b'{"a": NaN}', id="a number that is none"),
        pytest.param(b'{"a": 1e999}', id="a number out of range"),
        pytest.param(b'{"messages": ' + b"[" * 200_000, id="a body nested without end"),
    ],
)
def test_a_body_that_cannot_be_read_with_certainty_is_none(body: bytes) -> None:
    assert gateway.decoded(body) is None


def test_what_is_decoded_can_be_encoded_again() -> None:
    content = {"a": 1.5, "b": "h\u00e9 \ud800", "c": [None, True]}
    assert gateway.decoded(gateway.encoded(content)) == content == json.loads(gateway.encoded(content))


def test_the_cap_of_requests_follows_the_turns() -> None:
    assert gateway.request_cap(10) == 60


@pytest.mark.parametrize(
    ("key", "body", "shown"),
    [("sk-1", b"bad key sk-1, sk-1!", b"bad key [key], [key]!"), ("sk-1", b"no", b"no"), ("", b"no", b"no")],
)
def test_a_key_is_taken_out_of_what_a_box_reads(key: str, body: bytes, shown: bytes) -> None:
    assert gateway.without(key, body) == shown
