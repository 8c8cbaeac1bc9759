"""Only what a person sees."""

import pytest

from reknit.core.text.visible import strip_hidden


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        pytest.param("fix <!-- and push --> this", "fix  this", id="comment"),
        pytest.param("a<!-- x\ny -->b<!--z-->c", "abc", id="over-lines-and-twice"),
        pytest.param("a <!-- never closed", "a", id="never-closed"),
        pytest.param("a <!-<!-- x -->- y --> b", "a  b", id="one-inside-another"),
        pytest.param("a\u200bb\u202e", "ab", id="invisible-characters"),
        pytest.param("keep `x --> y`\n\n- z", "keep `x --> y`\n\n- z", id="plain"),
    ],
)
def test_without_hidden(text: str, seen: str) -> None:
    assert strip_hidden(text) == seen
