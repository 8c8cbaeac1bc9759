"""The gateway's decisions that no wire format changes."""

import base64
import itertools
import json
from urllib.parse import quote

import pytest

from reknit.core.gateway import policy
from reknit.core.gateway.access import ProviderName
from reknit.core.gateway.policy import BlankedStream, KeyBlanking
from reknit.core.gateway.wire import WIRES

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
    assert policy.classify_request(WIRES[provider], method, target) == charge


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
    assert policy.classify_request(WIRES[provider], method, target) is None


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
    assert policy.build_upstream_target(WIRES[provider], target) == passed


@pytest.mark.parametrize("provider", WIRES)
def test_headers_are_chosen_by_name_in_any_case(provider: ProviderName) -> None:
    secret = {"X-Api-Key", "x-goog-api-key", "Authorization", "Cookie", "Connection", "OpenAI-Organization"}
    given = [("User-Agent", "cli"), *((name, "v") for name in secret)]
    assert policy.select_headers(given, WIRES[provider].REQUEST_HEADERS) == {"user-agent": "cli"}


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
    assert policy.read_token(headers, target) == token


def test_headers_from_the_box_are_bounded() -> None:
    given = [("User-Agent", "x" * 4097), ("Accept", "a\x00b"), ("X-App", "cli")]
    assert policy.select_headers(given, frozenset({"user-agent", "accept", "x-app"})) == {"x-app": "cli"}


KEY = "sk-real-canary-4711"


@pytest.mark.parametrize(
    ("name", "value", "passes"),
    [
        ("content-type", "text/event-stream; charset=utf-8", True),
        ("content-type", "application/json", True),
        ("content-type", "application/json; charset=utf-16", False),
        ("content-type", "image/png", False),
        ("retry-after", "30", True),
        ("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT", True),
        ("retry-after", "soon", False),
        ("retry-after-ms", "1500", True),
        ("retry-after-ms", "9" * 20, False),
        ("request-id", "req_011CSHoEeqs5C35K2UUqR7Fy", True),
        ("request-id", "x" * 65, False),
        ("request-id", KEY, False),
        ("x-request-id", "3f9f2b8e-0c1d-4a55-9b1e-1a2b3c4d5e6f", True),
        ("x-request-id", base64.urlsafe_b64encode(KEY.encode()).decode().rstrip("="), False),
        ("x-should-retry", "true", True),
        ("x-should-retry", "maybe", False),
        ("x-should-retry", "true\n", False),
        ("set-cookie", "a=b", False),
        ("anthropic-organization-id", "org", False),
    ],
)
def test_headers_of_an_answer_are_checked_by_name_and_value(name: str, value: str, passes: bool) -> None:
    names = frozenset(policy.ANSWER_VALUES)
    found = policy.select_answer_headers({name: value}, names, KeyBlanking(KEY))
    assert found == ({name: value} if passes else {})


@pytest.mark.parametrize("provider", WIRES)
def test_every_header_of_an_answer_has_a_rule_for_its_value(provider: ProviderName) -> None:
    assert policy.ANSWER_VALUES.keys() >= WIRES[provider].ANSWER_HEADERS


CANARY_KEY = "sk-ant-canary+REAL/key=4711"
BLANKING = KeyBlanking(CANARY_KEY)


def escaped(key: str, form: str, every: int) -> str:
    """Each `every`-th character escaped."""
    return "".join(form.format(ord(each)) if place % every == 0 else each for place, each in enumerate(key))


FORMS = {
    "as it is": CANARY_KEY,
    "in JSON": json.dumps(CANARY_KEY)[1:-1],
    "in JSON with escaped slashes": CANARY_KEY.replace("/", "\\/"),
    "all escaped for JSON": escaped(CANARY_KEY, "\\u{:04x}", 1),
    "some escaped for JSON": escaped(CANARY_KEY, "\\u{:04X}", 3),
    "in a URL": quote(CANARY_KEY, safe=""),
    "all escaped for a URL": escaped(CANARY_KEY, "%{:02X}", 1),
    "some escaped for a URL": escaped(CANARY_KEY, "%{:02x}", 2),
    "in hex": CANARY_KEY.encode().hex(),
    "reversed": CANARY_KEY[::-1],
    "in base64": base64.b64encode(CANARY_KEY.encode()).decode(),
    "in base64 for a URL": base64.urlsafe_b64encode(CANARY_KEY.encode()).decode(),
    "in base64 after a name": base64.b64encode(f"user:{CANARY_KEY}".encode()).decode(),
    "in base64 after a name, in JSON": base64.b64encode(f"us:{CANARY_KEY}".encode()).decode().replace("/", "\\/"),
}


def is_told(text: bytes) -> bool:
    """Twenty characters of the key, or of one of its forms, are left."""
    return any(form[at : at + 20].encode() in text for form in FORMS.values() for at in range(len(form) - 19))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_key_is_blanked_in_every_form(form: str) -> None:
    text = f'{{"error": "not {form}, and {form}!"}}'.encode()
    assert is_told(text)
    blanked = BLANKING.blank(text)
    assert not is_told(blanked)
    assert blanked.count(b"[key]") == 2


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("size", [1, 7, None])
def test_a_key_is_blanked_in_a_stream_wherever_it_is_cut(form: str, size: int | None) -> None:
    text = f'data: {{"said": "not {form} nor {form}"}}\n\ndata: {{}}\n\n'.encode()
    cuts = range(1, len(text)) if size is None else [0]
    for cut in cuts:
        stream = BlankedStream(BLANKING)
        parts = [text[:cut], text[cut:]] if size is None else [text[at : at + size] for at in range(0, len(text), size)]
        passed = b"".join([*(stream.feed(part) for part in parts), stream.end()])
        assert passed == BLANKING.blank(text)
        assert not is_told(passed)


def test_an_event_does_not_wait_for_the_next_one() -> None:
    stream = BlankedStream(BLANKING)
    event = b'data: {"type": "ping"}\n\n'
    assert [stream.feed(event), stream.feed(b"half of it"), stream.end()] == [event, b"half of it", b""]


def test_only_what_may_become_the_key_waits_for_the_next_part() -> None:
    stream = BlankedStream(BLANKING)
    assert [stream.feed(b'"sk-ant-can'), stream.feed(b'dy"'), stream.end()] == [b'"', b'sk-ant-candy"', b""]
    assert [stream.feed(b"x\\u00"), stream.feed(b"e9")] == [b"x", b"\\u00e9"]
    assert [stream.feed(b"the end: sk-ant"), stream.end()] == [b"the end: ", b"sk-ant"]


def test_what_waits_is_bounded() -> None:
    repeated = "ab" * 10
    stream = BlankedStream(KeyBlanking(repeated))
    sent = sum(len(stream.feed(b"ab" * 9 + b"a")) for _ in range(1000))
    assert 1000 * 19 - sent < 6 * 4 * len(repeated)


def test_a_text_without_the_key_stays_as_it_is() -> None:
    text = "".join(map("".join, itertools.permutations("sk-ant%\\"))).encode()[:100_000]
    stream = BlankedStream(BLANKING)
    assert BLANKING.blank(text) == text
    assert stream.feed(text) + stream.end() == text


@pytest.mark.parametrize("key", ["", "x", "ollama"])
def test_a_placeholder_is_not_a_key(key: str) -> None:
    stream = BlankedStream(KeyBlanking(key))
    assert stream.feed(b"ollama x") + stream.end() == b"ollama x"
