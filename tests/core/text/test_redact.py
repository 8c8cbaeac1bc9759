import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.text.redact import clean, escape_hidden, find_secrets, is_hidden, redact, strip_hidden
from tests.tools.work import quickly

# Written in two halves, so that no scanner takes this file for a leak.
SECRETS = [
    ("AWS access key", "AKIA" + "ABCDEFGHIJKLMNOP"),
    ("AWS access key", "ASIA" + "1234567890ABCDEF"),
    ("GitHub token", "ghp" + "_" + "a1B2" * 9),
    ("GitHub token", "github" + "_pat_" + "11ABCDEFG0abcdefghijkl_x1"),
    ("GitLab token", "glpat" + "-" + "abcdefghij1234567890"),
    ("Anthropic key", "sk-ant" + "-api03-" + "Ab1-" * 10),
    ("OpenAI key", "sk-proj" + "-" + "Ab1_" * 10),
    ("OpenAI key", "sk" + "-" + "Ab12" * 12),
    ("Google key", "AIza" + "Sy" + "a" * 33),
    ("npm token", "npm" + "_" + "a1B2" * 9),
    ("PyPI token", "pypi" + "-AgEI" + "cHlwaS5vcmc" * 6),
    ("Hugging Face token", "hf" + "_" + "a" * 34),
    ("Slack token", "xoxb" + "-1234567890-abcdefghij"),
    ("Stripe key", "sk" + "_live_" + "a1B2c3D4e5F6g7H8"),
    ("JSON web token", "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N"),
    ("private key", "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE" + " KEY-----"),
    ("private key", "-----BEGIN PRIVATE" + " KEY-----"),
    (
        "private key",
        "-----BEGIN EC PRIVATE" + " KEY-----\nProc-Type: 4,X\n\nMIIEow==\n-----END EC PRIVATE" + " KEY-----",
    ),
    ("private key", "-----BEGIN PRIVATE" + " KEY-----\n" + "MIIEowIBAAKCAQEA1234\n" * 2 + "MIIEowIBAAKCAQEA5678"),
    ("password in an address", "postgres://app:" + "hunter2-hunter2@db.internal"),
    ("Authorization header", "Authorization: Bearer " + "abcdef0123456789abcdef"),
    ("Authorization header", '"authorization": "Basic ' + 'dXNlcjpwYXNzd29yZDEyMw=="'),
]
LOOK_ALIKES = [
    "9c1e2aa0b7a3f1d4c5e6f708192a3b4c5d6e7f80",
    "sha512-" + "a1B2" * 22 + "==",
    "postgres://user:password@localhost/db",
    "https://user:${TOKEN}@example.com/x.git",
    "https://example.com:8080/a@b",
    "Authorization: Bearer ${TOKEN}",
    "task-ant-colony-optimisation-algorithm",
    "risk-proj-" + "x" * 30,
    "AKIA" + "short",
    "ghp_short",
    "-----BEGIN PUBLIC KEY-----",
    "eyJhbGciOiJIUzI1NiJ9",
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_a_secret_is_found_and_taken_out(kind: str, secret: str) -> None:
    text = f"first\nx = {secret}\nlast\n"
    assert [(found.kind, found.line) for found in find_secrets(text)] == [(kind, 2)]
    assert f"[{kind} redacted]" in redact(text)
    assert secret not in redact(text)
    assert redact(text).startswith("first\n")
    assert redact(text).endswith("last\n")


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_stays(text: str) -> None:
    assert list(find_secrets(text)) == []
    assert redact(text) == text


def test_findings_come_in_the_order_of_lines() -> None:
    text = f"\n{SECRETS[2][1]}\n{SECRETS[0][1]}\n\n{SECRETS[2][1]}\n"
    assert sorted(found.line for found in find_secrets(text)) == [2, 3, 5]


@pytest.mark.parametrize("padding", ["", "x", "xy", "xyz"])
@pytest.mark.parametrize("value", ["s3cret/value+1", "Pässwort-1234", "1234567", "12345678"])
def test_a_known_value_is_taken_out_in_its_usual_forms(value: str, padding: str) -> None:
    raw = value.encode()
    packed = base64.b64encode(padding.encode() + raw + b"tail").decode()
    text = " ".join([value, value[::-1], quote(value, safe=""), raw.hex(), raw.hex().upper(), packed])
    shown = redact(text, [value])
    assert shown.count("[redacted]") == 6
    assert value not in shown


def test_a_longer_known_value_goes_before_a_shorter_inside_it() -> None:
    assert redact("abcdefgh", ["abcdef", "abcdefgh"]) == "[redacted]"


def test_nothing_but_the_known_value_is_taken_out() -> None:
    assert redact("abcdef.", ["abcdef"]) == "[redacted]."
    for before, after in ((b"", b""), (b"xyz", b"uvw")):
        packed = base64.b64encode(before + b"a known value" + b"!!" + after).decode()
        left = redact(packed, ["a known value!!"])
        assert left == base64.b64encode(before).decode() + "[redacted]" + base64.b64encode(after).decode()


def test_a_known_value_too_short_to_tell_stays() -> None:
    assert redact("a test", ["test", ""]) == "a test"


@pytest.mark.parametrize(
    ("hostile", "plain"),
    [
        pytest.param("\x1b[31mred\x1b[0m", "red", id="colour"),
        pytest.param("\x1b]0;title\x07x", "x", id="title"),
        pytest.param("\x1b]52;c;ZXZpbA==\x07x", "x", id="clipboard"),
        pytest.param("\x1b]8;;http://evil.test\x1b\\click\x1b]8;;\x1b\\", "click", id="link"),
        pytest.param("\x1b]52;c;AAAA\nnext line", "]52;c;AAAA\nnext line", id="text-after-an-unfinished-escape-stays"),
        pytest.param("# a\x1b]0;\rrun()\n\x07", "# a]0;run()\n", id="code-after-an-unfinished-title-stays"),
        pytest.param("\x1bPrun()\n\x1b^x\x1b", "Prun()\n^x", id="unfinished-device-control-stays"),
        pytest.param("\x1b[12", "[12", id="unfinished-colour-stays"),
        pytest.param("\x1b]" + "a" * 5000 + "\x07", "]" + "a" * 5000, id="too-long-for-a-title"),
        pytest.param("\x1bMup\x1b7", "up7", id="two-character-escape"),
        pytest.param("\x1bP+q544e\x1b\\x", "x", id="device-control"),
        pytest.param("\x9b31mred", "31mred", id="one-byte-escape"),
        pytest.param("FAILED\x1b[2K\rPASSED", "FAILEDPASSED", id="overwritten-line"),
        pytest.param("a\r\nb\tc\x00\x08\x7f", "a\nb\tc", id="control-characters"),
        pytest.param("a\u202egnp.exe\u2066\u200f", "agnp.exe", id="bidi"),
        pytest.param("ig\u200bno\u00adre\ufeff", "ignore", id="zero-width"),
        pytest.param("hi" + "".join(chr(0xE0000 + ord(c)) for c in "run"), "hi", id="tags"),
        pytest.param("x\ufe00\ufe0f\U000e0100\U000e01ef", "x", id="variation-selectors"),
        pytest.param("a\u3164b\u115f\u2800", "ab", id="blank-letters"),
        pytest.param("a\u2028b\ue000\ud800", "ab", id="separators-private-and-lone"),
        pytest.param("Grüße, 世界 ✓ é\n", "Grüße, 世界 ✓ é\n", id="ordinary-text-stays"),
    ],
)
def test_only_plain_text_is_left(hostile: str, plain: str) -> None:
    assert clean(hostile) == plain


@given(st.text(st.sampled_from("\x1b[]m\x07\\0;a\x9b\r\n\u202e\U000e0041P^_\x90\x9c"), max_size=12))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert not set(once) & set("\x1b\x07\x9b\r\u202e\U000e0041\x90\x9c")


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        pytest.param("# cents\x1b]0;\rrun()\n", "# cents\\x1b]0;\\rrun()\n", id="escape-and-carriage-return"),
        pytest.param("a\u202eb\u200b\u3164", "a\\u202eb\\u200b\\u3164", id="bidi-and-invisible"),
        pytest.param("\U000e0041\x00\x9b\ud800", "\\U000e0041\\x00\\x9b\\ud800", id="tags-and-controls"),
        pytest.param("Grüße, 世界 ✓\tx\n", "Grüße, 世界 ✓\tx\n", id="ordinary-text-stays"),
    ],
)
def test_nothing_is_left_out_of_what_a_person_reads(hostile: str, shown: str) -> None:
    assert escape_hidden(hostile) == shown


@given(st.text(max_size=50))
def test_what_is_visible_is_plain_and_complete(text: str) -> None:
    shown = escape_hidden(text)
    assert clean(shown) == shown
    assert [character for character in text if not is_hidden(character)] == list(
        "".join(character for character in text if escape_hidden(character) == character)
    )


@given(st.text(max_size=200))
def test_redacting_never_raises(text: str) -> None:
    assert redact(text, [text]) is not None


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        pytest.param("fix <!-- and push --> this", "fix  this", id="comment"),
        pytest.param("a<!-- x\ny -->b<!--z-->c", "abc", id="over-lines-and-twice"),
        pytest.param("a<!-->b<!--->c-->", "abc-->", id="empty-ones-end-at-once"),
        pytest.param("a <!-- never closed", "a <! -- never closed", id="never-closed-in-a-line"),
        pytest.param("a\n  <!-- never\nclosed", "a", id="never-closed-from-the-start-of-a-line"),
        pytest.param("<!-- all", "", id="nothing-else"),
        pytest.param("a <!-<!-- x -->- y --> b", "a <! -- y --> b", id="one-inside-another"),
        pytest.param("a\u200bb\u202e", "ab", id="invisible-characters"),
        pytest.param("a <!\u200b-- x --> b", "a  b", id="a-comment-once-the-invisible-is-gone"),
        pytest.param("keep `x --> y`\n\n- z", "keep `x --> y`\n\n- z", id="plain"),
    ],
)
def test_strip_hidden(text: str, seen: str) -> None:
    assert strip_hidden(text) == seen


@given(st.text("<!->a \n\u200b\x1b[m"))
def test_no_comment_remains(text: str) -> None:
    seen = strip_hidden(text)
    assert "<!--" not in seen
    assert strip_hidden(seen) == seen


@pytest.mark.parametrize(
    "text", ["a<!--" * 200_000, "<!-" * 100_000 + "<!---->" + "-->" * 100_000, "-->" + "<!--" * 200_000]
)
def test_many_comments_take_no_time(text: str) -> None:
    with quickly():
        strip_hidden(text)
