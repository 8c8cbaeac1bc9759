"""The mark that makes a comment findable."""

import pytest

from reknit.adapters.github.comment_marker import LONGEST, has_mark, is_marked, is_same, mark, marked
from reknit.core.errors import InternalError


def test_a_marked_text_is_found_by_its_key_alone() -> None:
    text = marked("pull-7", "hello\n")

    assert text == "<!-- reknit:pull-7 -->\nhello"
    assert has_mark("pull-7", text)
    assert not has_mark("pull-70", text)
    assert not has_mark("pull", text)


def test_a_marked_text_is_known_whatever_its_key() -> None:
    assert is_marked(marked("pull-7", "hello"))
    assert is_marked("\r\n" + marked("run-1/2", ""))
    assert not is_marked("<!-- reknit -->")
    assert not is_marked("<!-- state: 1 -->")


def test_a_quoted_mark_is_no_mark() -> None:
    assert not is_marked(f"> {marked('a', 'quoted')}")
    assert not has_mark("a", f"somebody wrote {mark('a')}")
    assert not has_mark("a", marked("b", mark("a")))


@pytest.mark.parametrize("key", ["", "a b", "a-->", "a--b", "x" * 201, "a\nb"])
def test_a_key_that_could_end_the_comment_is_refused(key: str) -> None:
    with pytest.raises(InternalError):
        mark(key)


def test_a_long_text_is_cut_and_says_so() -> None:
    text = marked("a", "x" * 70_000)

    assert len(text) == LONGEST == 65_000
    assert text.startswith(mark("a"))
    assert text.endswith("(cut: too long for a comment)")
    assert len(marked("a", "x" * (LONGEST - len(mark("a")) - 1))) == LONGEST


def test_line_ends_make_no_difference() -> None:
    assert is_same("a\r\nb\r\n", "a\nb")
    assert not is_same("a\nb", "a\nc")
