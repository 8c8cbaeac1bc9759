"""Frontmatter as names and texts; what is broken is a problem, never an exception."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.planning.exploration.frontmatter import MAX_FIELDS, MAX_VALUE_CHARS, parse_frontmatter


def read(*lines: str) -> tuple[dict[str, str], str]:
    fields, problem = parse_frontmatter("\n".join(("---", *lines, "---", "# Text", "not: a field")))
    return dict(fields), problem


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        pytest.param(["a: b c"], "b c", id="plain"),
        pytest.param(["a: 'b: c' # why"], "b: c", id="quoted"),
        pytest.param(["a: 'it''s'"], "it's", id="quotes inside"),
        pytest.param(["a: b # why"], "b", id="a comment"),
        pytest.param(["a: 2026-11-17"], "2026-11-17", id="a date is text"),
        pytest.param(["a:"], "", id="nothing"),
        pytest.param(["a: [b, c]  # why"], "[b, c]", id="a list on one line"),
        pytest.param(["a: [b,", "  c]"], "[b, c]", id="a list on two lines"),
        pytest.param(["a: {b: c}"], "{b: c}", id="a map on one line"),
        pytest.param(["a:", "  - b", "  - c"], "[b, c]", id="items"),
        pytest.param(["a:", "- b, c", "- 'd'"], '["b, c", d]', id="items at the margin, one with a comma"),
        pytest.param(["a:", "  b: c", "  d: e # why"], "{b: c, d: e}", id="a map"),
        pytest.param(["a:", "  b:", "    - c", "  d: e"], "{b: [c], d: e}", id="a list in a map"),
        pytest.param(["a:", "  - b: c", "    d: e", "  - f"], "[{b: c, d: e}, f]", id="a map in a list"),
        pytest.param(["a:", "  - [b, c]", "  -"], "[[b, c], ]", id="a list in a list, and an empty item"),
        pytest.param(["a:", "  b: c", "    d"], "{b: c d}", id="a value on two lines in a map"),
        pytest.param(["a: |", "  b", "  c"], "b c", id="a block of text"),
        pytest.param(["a: b", "  c"], "b c", id="text on two lines"),
        pytest.param(["a:", "  b", "  c"], "b c", id="text below the name"),
        pytest.param(['"a": b'], "b", id="a quoted name"),
        pytest.param(["# why", "", "a: b"], "b", id="comments and blank lines"),
        pytest.param(["a: https://example.test/#x"], "https://example.test/#x", id="an address"),
        pytest.param([f"a: {'x' * 500}"], f"{'x' * (MAX_VALUE_CHARS - 1)}…", id="too long"),
        pytest.param(["a: b\x1b[31m\u202e"], "b", id="what a terminal would obey"),
    ],
)
def test_a_value_is_a_text_on_one_line(lines: list[str], value: str) -> None:
    assert read(*lines) == ({"a": value}, "")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        pytest.param(["a: b", "what is this"], "line 3: `what is this` is not a field", id="no field"),
        pytest.param(["  a: b"], "line 2: `a: b` is not a field", id="indented"),
        pytest.param(["a: b", "a: c"], "line 3: `a` is set twice", id="twice"),
        pytest.param(
            ["a: 'b"],
            "line 2: `a` cannot be read: while scanning a quoted scalar, found unexpected end of stream",
            id="a quote",
        ),
        pytest.param(
            ['a: "'],
            "line 2: `a` cannot be read: while scanning a quoted scalar, found unexpected end of stream",
            id="only a quote",
        ),
        pytest.param(
            ["a: [b", "c: d"],
            "line 2: `a` cannot be read: while parsing a flow sequence, did not find expected ',' or ']'",
            id="a bracket",
        ),
        pytest.param(
            ["a: {b"],
            "line 2: `a` cannot be read: while parsing a flow mapping, did not find expected ',' or '}'",
            id="a brace",
        ),
        pytest.param(["?", "!", "a: b"], "line 2: `?` is not a field", id="the first is told"),
    ],
)
def test_what_is_broken_is_told_with_its_line(lines: list[str], problem: str) -> None:
    assert read(*lines)[1] == problem


def test_fields_beside_a_broken_one_are_read() -> None:
    assert read("status: stale", "oops", "title: x") == (
        {"status": "stale", "title": "x"}, "line 3: `oops` is not a field"
    )  # fmt: skip


def test_a_text_without_frontmatter_has_no_fields_and_no_problem() -> None:
    assert parse_frontmatter("# Title\n\na: b\n") == ((), "")


def test_a_frontmatter_that_is_not_closed_is_a_problem() -> None:
    assert parse_frontmatter("---\na: b\n") == ((), "its frontmatter is not closed by a line `---`")


def test_there_are_at_most_so_many_fields() -> None:
    fields, problem = read(*(f"a{number}: b" for number in range(MAX_FIELDS + 5)))
    assert (len(fields), problem) == (MAX_FIELDS, "")


def test_deep_nesting_is_refused() -> None:
    assert read("a:", f"  {'- ' * 900}b") == ({}, "line 2: `a` cannot be read: it is nested deeper than 20 levels")


def test_fields_that_no_person_writes_are_not_read() -> None:
    assert read(f"a: {'x' * 70_000}") == ({}, "line 2: the fields are longer than 65,536 bytes")


@given(st.text(alphabet=":-[]{}'\"#| \t\nab", max_size=200))
def test_no_text_raises(text: str) -> None:
    fields, problem = parse_frontmatter(f"---\n{text}\n---\n")
    assert all("\n" not in value for _name, value in fields)
    assert "\n" not in problem
