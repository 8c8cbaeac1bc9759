"""A vendor that repeats the key: it is blanked in every usual form, whole or in parts."""

import base64
import itertools
import json
from urllib.parse import quote

import pytest

from reknit.core.gateway.key_blanking import BlankedStream, KeyBlanking

KEY = "sk-ant-canary+REAL/key=4711"
BLANKING = KeyBlanking(KEY)


def escaped(key: str, form: str, every: int) -> str:
    """Each `every`-th character escaped."""
    return "".join(form.format(ord(each)) if place % every == 0 else each for place, each in enumerate(key))


FORMS = {
    "as it is": KEY,
    "in JSON": json.dumps(KEY)[1:-1],
    "in JSON with escaped slashes": KEY.replace("/", "\\/"),
    "all escaped for JSON": escaped(KEY, "\\u{:04x}", 1),
    "some escaped for JSON": escaped(KEY, "\\u{:04X}", 3),
    "in a URL": quote(KEY, safe=""),
    "all escaped for a URL": escaped(KEY, "%{:02X}", 1),
    "some escaped for a URL": escaped(KEY, "%{:02x}", 2),
    "in hex": KEY.encode().hex(),
    "reversed": KEY[::-1],
    "in base64": base64.b64encode(KEY.encode()).decode(),
    "in base64 for a URL": base64.urlsafe_b64encode(KEY.encode()).decode(),
    "in base64 after a name": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "in base64 after a name, in JSON": base64.b64encode(f"us:{KEY}".encode()).decode().replace("/", "\\/"),
}


def is_told(text: bytes) -> bool:
    """Twenty characters of the key, or of one of its forms, are left."""
    return any(form[at : at + 20].encode() in text for form in FORMS.values() for at in range(len(form) - 19))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_key_is_blanked_in_every_form(form: str) -> None:
    text = f'{{"error": "not {form}, and {form}!"}}'.encode()
    assert is_told(text)
    blanked = BLANKING.blanked(text)
    assert not is_told(blanked)
    assert blanked.count(b"[key]") == 2


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("size", [1, 7, None])
def test_a_key_is_blanked_in_a_stream_wherever_it_is_cut(form: str, size: int | None) -> None:
    text = f'data: {{"said": "not {form} nor {form}"}}\n\ndata: {{}}\n\n'.encode()
    cuts = range(1, len(text)) if size is None else [0]
    for cut in cuts:
        stream = BlankedStream(BLANKING)
        parts = [text[:cut], text[cut:]] if size is None else [text[at : at + size] for at in range(0, len(text), size)]
        passed = b"".join([*(stream.feed(part) for part in parts), stream.end()])
        assert passed == BLANKING.blanked(text)
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
    assert BLANKING.blanked(text) == text
    assert stream.feed(text) + stream.end() == text


@pytest.mark.parametrize("key", ["", "x", "ollama"])
def test_a_placeholder_is_not_a_key(key: str) -> None:
    stream = BlankedStream(KeyBlanking(key))
    assert stream.feed(b"ollama x") + stream.end() == b"ollama x"
