"""Only what a person sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.text.visible import strip_hidden
from tests.tools.work import quickly


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
