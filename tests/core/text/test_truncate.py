"""Space: nobody gets more than there is, and the small ones are served whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.text.truncate import count_bytes, divide_fairly, truncate_bytes, truncate_chars, truncate_columns


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        pytest.param("abc", 3, "abc", id="what fits stays"),
        pytest.param("abcdefgh", 6, "abc…", id="what does not is marked"),
        pytest.param("ab defgh", 6, "ab…", id="no blank before the mark"),
        pytest.param("aé€xyz", 8, "aé…", id="characters stay whole"),
        pytest.param("abcd", 2, "", id="no room even for the mark"),
        pytest.param("abcd", -5, "", id="less than no room"),
    ],
)
def test_a_text_is_cut(text: str, limit: int, kept: str) -> None:
    assert truncate_bytes(text, limit) == kept


@pytest.mark.parametrize(
    ("text", "limit", "in_chars", "in_columns"),
    [
        pytest.param("ab€", 3, "ab€", "ab€", id="what fits stays"),
        pytest.param("abcdef", 4, "abc…", "abc…", id="what does not is marked"),
        pytest.param("ab def", 4, "ab…", "ab …", id="columns are filled"),
        pytest.param("abc", 1, "…", "…", id="nothing but the mark"),
    ],
)
def test_characters_and_columns(text: str, limit: int, in_chars: str, in_columns: str) -> None:
    assert truncate_chars(text, limit) == in_chars
    assert truncate_columns(text, limit) == in_columns


def test_no_columns_are_no_limit() -> None:
    assert truncate_columns("abc", 0) == "abc"


@pytest.mark.parametrize(
    ("wanted", "space", "given_out"),
    [
        pytest.param([], 10, [], id="nobody asks"),
        pytest.param([3, 4], 10, [3, 4], id="all fit"),
        pytest.param([90, 2, 90], 22, [10, 2, 10], id="the small one whole, the rest in equal parts"),
        pytest.param([90, 5], 4, [2, 2], id="too little for anyone"),
    ],
)
def test_room_is_shared_fairly(wanted: list[int], space: int, given_out: list[int]) -> None:
    assert divide_fairly(wanted, space) == given_out


@given(st.lists(st.integers(0, 500), max_size=20), st.integers(0, 2_000))
def test_no_more_is_given_than_wanted_or_there(wanted: list[int], space: int) -> None:
    parts = divide_fairly(wanted, space)
    assert all(0 <= part <= most for part, most in zip(parts, wanted, strict=True))
    assert sum(parts) == min(sum(wanted), space)


@given(st.text(st.characters()), st.integers(-3, 40))
def test_a_cut_text_never_takes_more(text: str, limit: int) -> None:
    assert count_bytes(truncate_bytes(text, limit)) <= max(limit, 0)
