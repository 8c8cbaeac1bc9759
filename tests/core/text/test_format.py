"""Short texts for people."""

from collections.abc import Sequence

import pytest

from reknit.core.text.format import (
    format_location,
    format_seconds,
    format_spending,
    join_and_count,
    join_few,
    pluralize,
    render_field,
    sanitize_line,
    suggest_similar,
    take_fitting,
    to_one_line,
)

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
    assert join_few(texts) == few
    assert join_and_count(texts) == and_more


def test_another_number_and_another_separator() -> None:
    assert join_few(["I-1", "I-2", "I-3"], 2, " ") == "I-1 I-2 …"
    assert join_and_count(["I-1", "I-2", "I-3"], 2, " ") == "I-1 I-2 and 1 more"


@pytest.mark.parametrize(
    ("file", "line", "shown"),
    [
        pytest.param("shop/a.py", 7, "shop/a.py:7", id="both"),
        pytest.param("shop/a.py", 0, "shop/a.py", id="no line"),
        pytest.param("", 7, "", id="no file"),
    ],
)
def test_a_place_in_a_file(file: str, line: int, shown: str) -> None:
    assert format_location(file, line) == shown


def test_money_has_cents() -> None:
    assert format_spending(0.126, 5) == "$0.13 of $5.00"


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
    assert format_seconds(value) == text


def test_words_of_others_are_one_line_without_escapes_or_secrets_and_short() -> None:
    assert sanitize_line(f"a\x1b[31m\n b\u202e {TOKEN}") == "a b [GitHub token redacted]"
    assert sanitize_line("x" * 300, 10) == "x" * 9 + "…"


def test_a_name_adds_no_lines() -> None:
    assert to_one_line(" t::a\r\n\tb\x1b[0m c ") == "t::a b c"
    assert to_one_line("\n") == ""


def test_words_are_cut_at_their_end_and_not_before_a_blank() -> None:
    assert (sanitize_line("abc", 3), sanitize_line("abcd", 3)) == ("abc", "ab…")
    assert sanitize_line("one two three", 5) == "one…"


def test_things_are_counted() -> None:
    assert [pluralize(count, "test") for count in range(3)] == ["0 tests", "1 test", "2 tests"]


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        pytest.param(8, ["aaa", "bbb"], id="each line counts with its end"),
        pytest.param(7, ["aaa"], id="a line is whole or not there"),
        pytest.param(3, [], id="nothing fits"),
    ],
)
def test_lines_are_shown_while_there_is_room(room: int, shown: list[str]) -> None:
    assert take_fitting(["aaa", "bbb"], room) == shown


def test_after_a_line_that_is_too_long_none_follows() -> None:
    assert take_fitting(["a", "b" * 50, "c"], 10) == ["a"]


def test_a_field_is_wrapped_under_its_own_column() -> None:
    assert render_field("next", "reknit watch r-1", 0) == ["  next    reknit watch r-1"]
    lines = render_field("next", "one two three four five six seven eight nine ten", 40)
    assert lines == ["  next    one two three four five six", "          seven eight nine ten"]


def test_a_command_is_not_broken_within_a_word() -> None:
    path = "a-long-name/" * 6
    assert render_field("file", f"see {path}", 10) == ["  file    see", f"          {path}"]


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        pytest.param("Levle", "did you mean `level`?", id="close, in another case"),
        pytest.param("zzz", "", id="nothing is close"),
        pytest.param("level" + "x" * 10_000, "", id="long text"),
    ],
)
def test_the_nearest_name_is_the_hint(word: str, hint: str) -> None:
    assert suggest_similar(word, ["name", "level"]) == hint
