"""Short texts for people."""

from collections.abc import Sequence

import pytest

from reknit.core.text.format import file_line, first_and_more, first_few, spent_of, words


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


def test_untrusted_words_are_one_line_without_secrets_and_end() -> None:
    assert words(f"a\x1b[31m\n b\u200b {'ghp_' + 'a1B2' * 10}") == "a b [GitHub token redacted]"
    assert words("word word word", 11) == "word word…"
