"""Words of the frontmatter."""

import pytest
from hypothesis import given

from reknit.core.planning.plan_file.scalars import parse_list, parse_scalar, print_scalar
from tests.tools.plan_files import TEXT


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param("Finish the milestone", "Finish the milestone", id="words"),
        pytest.param(".github/dependabot.yml", ".github/dependabot.yml", id="path"),
        pytest.param("2026-11-17", "2026-11-17", id="date"),
        pytest.param("null", '"null"', id="null"),
        pytest.param("1.5", '"1.5"', id="number"),
        pytest.param("a: b", '"a: b"', id="colon"),
        pytest.param("a\nstatus: current", '"a\\nstatus: current"', id="line-break"),
        pytest.param("\u202e", '"\\u202e"', id="hidden"),
        pytest.param("", '""', id="empty"),
    ],
)
def test_printed(text: str, written: str) -> None:
    assert print_scalar(text) == written


@given(TEXT)
def test_any_text_comes_back(text: str) -> None:
    assert parse_scalar(print_scalar(text)) == text
    assert parse_list(f"[{print_scalar(text)}, x]") in ((text, "x"), (*text.split(", "), "x"), None) or "," in text
    assert "\n" not in print_scalar(text)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        pytest.param("[]", (), id="empty"),
        pytest.param("", (), id="nothing"),
        pytest.param("a", ("a",), id="one-word"),
        pytest.param("[a, 'it''s', \"b, c\"]  # why", ("a", "it's", "b, c"), id="several"),
        pytest.param("[a, [b]]", None, id="nested"),
        pytest.param('["\\x"]', None, id="bad-escape"),
        pytest.param("{a: b}", None, id="map"),
    ],
)
def test_lists(written: str, words: tuple[str, ...] | None) -> None:
    assert parse_list(written) == words


@pytest.mark.parametrize(
    ("written", "word"),
    [("a # b", "a"), ("# b", ""), ("a#b", "a#b"), ("'a' # b", "a"), ("'a", None), ("&a b", None), ('"a" b', None)],
)
def test_scalars(written: str, word: str | None) -> None:
    assert parse_scalar(written) == word


def test_a_long_list_is_read_in_one_pass() -> None:
    """It took minutes: each item copied the rest."""
    assert len(parse_list(f"[{200_000 * 'a,'}a]") or ()) == 200_001
