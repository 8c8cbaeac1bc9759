"""Any text as lines, and back."""

import pytest
from hypothesis import given

from reknit.core.text.line_encoding import decode, decode_lines, encode_line, encode_lines
from tests.tools.progress_entries import TEXT


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("", [""], id="empty"),
        pytest.param("plain `code` C:\\new \\d \\x1b", ["plain `code` C:\\new \\d \\x1b"], id="most-text-stays"),
        pytest.param("a\n\n  b", ["a", "", "  b"], id="lines"),
        pytest.param("\n", ["\\u{}", "\\u{}"], id="only-a-newline"),
        pytest.param("\ta ", ["\\u{}\ta \\u{}"], id="blanks-at-the-ends"),
        pytest.param("a \n \nb", ["a \\u{}", " \\u{}", "b"], id="blanks-at-the-end-of-a-line"),
        pytest.param("\\u{41}", ["\\u\\u{}{41}"], id="the-escape-itself"),
        pytest.param("\r\x00\u2028\ud800", ["\\u{d}\\u{0}\\u{2028}\\u{d800}"], id="hidden-characters"),
    ],
)
def test_text_as_lines(text: str, lines: list[str]) -> None:
    assert encode_lines(text) == lines


@given(TEXT)
def test_all_text_comes_back(text: str) -> None:
    first, *rest = encode_lines(text)
    assert decode_lines(f" {first} ", [f"  {line}\r" for line in rest], indent=2) == text
    assert decode(encode_line(text)) == text
    assert "\n" not in encode_line(text)
