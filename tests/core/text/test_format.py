"""Short texts for people."""

from collections.abc import Sequence

import pytest

from reknit.core.text.format import counted, file_line, first_and_more, first_few, one_line, seconds, spent_of, words

TOKEN = "ghp_" + "a" * 36


@pytest.mark.parametrize(
    ("texts", "few", "and_more"),
    [
        pytest.param((), "", "", id="none"),
        pytest.param(("a",), "a", "a", id="one"),
        pytest.param(("a", "b", "c"), "a, b, c", "a, b, c", id="as many as fit"),
        pytest.param(("a", "b", "c", "d", "e"), "a, b, c …", "a, b, c and 2 more", id="more"),
    ],
)
def test_the_first_of_a_list(texts: Sequence[str], few: str, and_more: str) -> None:
    assert first_few(texts) == few
    assert first_and_more(texts) == and_more


def test_another_number_and_another_separator() -> None:
    assert first_few(["I-1", "I-2", "I-3"], 2, " ") == "I-1 I-2 …"
    assert first_and_more(["I-1", "I-2", "I-3"], 2, " ") == "I-1 I-2 and 1 more"


@pytest.mark.parametrize(
    ("file", "line", "shown"),
    [
        pytest.param("shop/a.py", 7, "shop/a.py:7", id="both"),
        pytest.param("shop/a.py", 0, "shop/a.py", id="no line"),
        pytest.param("", 7, "", id="no file"),
    ],
)
def test_a_place_in_a_file(file: str, line: int, shown: str) -> None:
    assert file_line(file, line) == shown


def test_money_has_cents() -> None:
    assert spent_of(0.126, 5) == "$0.13 of $5.00"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(0.04, "0.0 s", id="a moment"),
        pytest.param(9.94, "9.9 s", id="below ten with a tenth"),
        pytest.param(42.4, "42 s", id="below a hundred in whole seconds"),
        pytest.param(125.0, "2m05s", id="then in minutes"),
        pytest.param(3725.0, "62m05s", id="never in hours"),
    ],
)
def test_seconds_are_written_for_people(value: float, text: str) -> None:
    assert seconds(value) == text


def test_words_of_others_are_one_line_without_escapes_or_secrets_and_short() -> None:
    assert words(f"a\x1b[31m\n b\u202e {TOKEN}") == "a b [GitHub token redacted]"
    assert words("x" * 300, 10) == "x" * 9 + "…"


def test_a_name_adds_no_lines() -> None:
    assert one_line(" t::a\r\n\tb\x1b[0m c ") == "t::a b c"
    assert one_line("\n") == ""


def test_words_are_cut_at_their_end_and_not_before_a_blank() -> None:
    assert (words("abc", 3), words("abcd", 3)) == ("abc", "ab…")
    assert words("one two three", 5) == "one…"


def test_things_are_counted() -> None:
    assert [counted(count, "test") for count in range(3)] == ["0 tests", "1 test", "2 tests"]
