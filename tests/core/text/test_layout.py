"""Lines that fit a width or a size."""

import pytest

from reknit.core.text.layout import field, fitting


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        pytest.param(8, ["aaa", "bbb"], id="each line counts with its end"),
        pytest.param(7, ["aaa"], id="a line is whole or not there"),
        pytest.param(3, [], id="nothing fits"),
    ],
)
def test_lines_are_shown_while_there_is_room(room: int, shown: list[str]) -> None:
    assert fitting(["aaa", "bbb"], room) == shown


def test_after_a_line_that_is_too_long_none_follows() -> None:
    assert fitting(["a", "b" * 50, "c"], 10) == ["a"]


def test_a_field_is_wrapped_under_its_own_column() -> None:
    assert field("next", "reknit watch r-1", 0) == ["  next    reknit watch r-1"]
    lines = field("next", "one two three four five six seven eight nine ten", 40)
    assert lines == ["  next    one two three four five six", "          seven eight nine ten"]


def test_a_command_is_not_broken_within_a_word() -> None:
    path = "a-long-name/" * 6
    assert field("file", f"see {path}", 10) == ["  file    see", f"          {path}"]
