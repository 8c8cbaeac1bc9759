import pytest

from reknit.core.gate.rules.content import find_hidden_text
from reknit.core.gate.scope import Scope
from reknit.core.repository.change import Change, FileChange

SCOPE = Scope((), "", 20, 1000, "pytest")


def _refused(before: str, after: str | None, path: str = "src/a.py") -> list[str]:
    file = FileChange(path, before.encode(), None if after is None else after.encode())
    refusals = list(find_hidden_text(Change((file,)), SCOPE))
    assert all((refusal.rule, refusal.path) == ("hidden-text", path) for refusal in refusals)
    return [refusal.sentence for refusal in refusals]


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        pytest.param("x\n", "x\n# cents\x1b]0;\rrun()\n", "\\r, \\x1b", id="code-after-an-escape"),
        pytest.param("x\n", "x\ny\rz\n", "\\r", id="carriage-return-is-a-newline-for-python"),
        pytest.param("x\r\n", "x\r\ny\rz\r\n", "\\r", id="a-lone-one-among-windows-lines"),
        pytest.param("x\ry\n", "x\ry\rz\n", "\\r", id="a-lone-one-though-base-has-one"),
        pytest.param("x\n", "x\r\n", "\\r", id="windows-lines-where-base-had-none"),
        pytest.param("x\n", "x\n# \u202e trojan \u2066\n", "\\u202e, \\u2066", id="bidi"),
        pytest.param("x\n", "a\u200bb\u3164\n", "\\u200b, \\u3164", id="invisible"),
        pytest.param("x\n", "\ufeffx\n", "\\ufeff", id="byte-order-mark"),
        pytest.param("x\n", "a\u200db\ufe0fc\n", "\\u200d, \\ufe0f", id="emoji-parts-without-emoji"),
        pytest.param(
            "x\n", "\u0645\u200c\u200c\u062e \u200c\u0645\u200cb\n", "\\u200c", id="joiners-that-join-nothing"
        ),
        pytest.param("x\n", "x\ny = 1\f\n", "\\x0c", id="page-break-inside-a-line"),
        pytest.param("x\n", "".join(map(chr, range(0xE0041, 0xE0050))) + "\n", "\\U000e0041, ", id="tags"),
    ],
)
def test_what_nobody_sees_is_refused(before: str, after: str, names: str) -> None:
    [sentence] = _refused(before, after)
    assert sentence.startswith(f"the fix adds hidden characters to src/a.py: {names}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("x\n", "x\n\ty = 'Grüße, 世界 ✓'\n", id="ordinary-text"),
        pytest.param("x\r\n", "x\r\ny\r\n", id="windows-lines-as-in-base"),
        pytest.param("\u202ex\n", "\u202ex\n\u202ey\n", id="as-base-has-it"),
        pytest.param("x\x1b\u202e\n", "x\n", id="taken-out"),
        pytest.param("x\x1b\n", None, id="deleted"),
        pytest.param("x\n", "\0\x1b", id="no-text-at-all"),
        pytest.param("x\n", "x\n'\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'\n", id="persian"),
        pytest.param("x\n", "x\n'\u0915\u094d\u200d\u0937'\n", id="hindi"),
        pytest.param("x\n", "x\n\f\ny\n", id="page-break"),
        pytest.param("x\n", "'⚠\ufe0f ❤\ufe0f\u200d🔥 👩\u200d💻 1\ufe0f\u20e3'\n", id="emoji"),
    ],
)
def test_what_can_be_seen(before: str, after: str | None) -> None:
    assert _refused(before, after) == []


@pytest.mark.parametrize("name", ["n\nl", "n\tl", "\x1b[31m", "a\u202eb"])
def test_a_name_holds_nothing_hidden(name: str) -> None:
    [sentence] = _refused("x\n", "y\n", f"src/{name}.py")
    assert sentence == f"the name {f'src/{name}.py'!a} contains hidden characters"
    assert sentence.isascii()
    assert sentence.isprintable()


def test_of_many_hidden_characters_five_are_named() -> None:
    [sentence] = _refused("x\n", "\u2066\u2067\u2068\u2069\u202a\u202b\n")
    assert sentence.endswith(": \\u202a, \\u202b, \\u2066, \\u2067, \\u2068")


def test_a_new_file_may_have_windows_lines() -> None:
    for text, is_refused in ((b"@echo off\r\nrun\r\n", False), (b"a\rb\r\n", True)):
        change = Change((FileChange("run.bat", None, text),))
        assert bool(list(find_hidden_text(change, SCOPE))) == is_refused


@pytest.mark.parametrize("character", ["\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"])
@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "return word.replace('_', '-').replace('{}', '')"),
        ("a.py", 'text = stream.read().lstrip("{}")'),
        ("a.py", "text = text.removeprefix('{}')"),
        ("a.py", "if text.startswith('{}'):"),
        ("a.py", "text = re.sub('{}', '', text)"),
        ("a.py", "parts = text.split('{}')"),
        ("a.js", "return text.replaceAll(`{}`, '')"),
        ("a.ts", "return text.replace(/{}/g, '')"),
        ("a.go", 'return strings.ReplaceAll(text, "{}", "")'),
        ("a.java", 'return text.replace("{}", "");'),
    ],
)
def test_a_character_that_a_program_looks_for_is_no_hidden_text(path: str, line: str, character: str) -> None:
    assert _refused("x\n", f"x\n{line.format(character)}\n", path) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        pytest.param("a.py", "a.replace('\u202e', '')", id="bidi"),
        pytest.param("a.py", "a.replace('\u200e', '')", id="a-mark-of-direction"),
        pytest.param("a.py", "a.replace('\u200b\u200b', '')", id="a-run"),
        pytest.param("a.py", "a.replace('x\u200b', '')", id="beside-other-text"),
        pytest.param("a.py", "a.replace('\u200b\", '')", id="quotes-that-differ"),
        pytest.param("a.py", "a.replace('\u200b', '').replace('\u200c', '')", id="two"),
        pytest.param("a.py", "a\u200b.replace('\u200b', '')", id="in-an-identifier-too"),
        pytest.param("a.py", "if user == '\u200b':", id="a-value-that-looks-empty"),
        pytest.param("a.py", "TOKEN = '\u200b'", id="assigned"),
        pytest.param("a.py", "check('\u200b')", id="given-to-another-function"),
        pytest.param("a.py", "x = 1  # a.replace('\u200b', '')", id="in-a-comment"),
        pytest.param("a.js", "x = 1 // a.replace('\u200b', '')", id="in-a-comment-of-javascript"),
        pytest.param("a.js", "/* a.replace('\u200b', '')", id="in-a-long-comment"),
        pytest.param("a.js", " * a.replace('\u200b', '')", id="further-in-a-long-comment"),
        pytest.param("a.lua", "-- a.replace('\u200b', '')", id="in-a-comment-of-lua"),
        pytest.param("a.md", "a.replace('\u200b', '')", id="in-prose"),
        pytest.param("a.json", "\"a.replace('\u200b', '')\"", id="in-data"),
    ],
)
def test_everything_else_that_is_hidden_is_refused(path: str, line: str) -> None:
    [_] = _refused("x\n", f"x\n{line}\n", path)
