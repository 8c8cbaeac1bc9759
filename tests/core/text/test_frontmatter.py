"""The fences of a frontmatter, and its plain values."""

import pytest

from reknit.core.text.frontmatter import Fences, find_fences, parse_plain_value, split_lines


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("---\na: b\n---\nx", Fences(0, is_open=True, end=2), id="both"),
        pytest.param("---\na: b\n...\nx", Fences(0, is_open=True, end=2), id="ended as YAML may be"),
        pytest.param("\ufeff\r\n--- \r\na: b\r\n---\r\n", Fences(1, is_open=True, end=3), id="what editors add"),
        pytest.param("\n---\na: b", Fences(1, is_open=True, end=0), id="not closed"),
        pytest.param("\n# Title\n---\n", Fences(1, is_open=False, end=0), id="text before it"),
        pytest.param("", Fences(0, is_open=False, end=0), id="nothing"),
    ],
)
def test_only_blank_lines_stand_before_a_frontmatter(text: str, found: Fences) -> None:
    assert find_fences(split_lines(text)) == found


@pytest.mark.parametrize(
    ("written", "text"),
    [
        pytest.param("a b", "a b", id="plain"),
        pytest.param("a # why", "a", id="with a comment"),
        pytest.param("a#b", "a#b", id="a hash inside"),
        pytest.param("# why", "", id="only a comment"),
        pytest.param('"a # b"', "a # b", id="quoted"),
        pytest.param("'a' # why", "a", id="quoted, with a comment"),
        pytest.param('"a" b', None, id="more after the quotes"),
        pytest.param('"a', None, id="not closed"),
        pytest.param("[a]", None, id="a list"),
        pytest.param("|", None, id="a block"),
    ],
)
def test_a_value_is_text_on_one_line(written: str, text: str | None) -> None:
    assert parse_plain_value(written) == text
