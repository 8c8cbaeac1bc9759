"""The frontmatter of a reviewer file: its fences, its fields and the forms of a value."""

import pytest

from reknit.core.agents.reviewer import ReviewerProblem
from reknit.core.agents.reviewer_fields import EXAMPLE, Field, Frontmatter, listed, read_frontmatter


def front(text: str) -> Frontmatter:
    found = read_frontmatter(text)
    assert isinstance(found, Frontmatter)
    return found


def test_fields_have_their_lines_and_the_body_is_the_rest() -> None:
    found = front("---\n# ours\nname: a\n\nlanguages:\n  - py\n- ts\nmodel:\n---\n\n# Look\n\n---\nmore\n")
    assert found.fields == {
        "name": Field(3, "a"),
        "languages": Field(5, "", [(6, "py"), (7, "ts")]),
        "model": Field(8, ""),
    }
    assert (found.opened, found.closed, found.problems) == (1, 9, ())
    assert found.body == "# Look\n\n---\nmore"


def test_what_editors_add_changes_nothing() -> None:
    found = front("\ufeff\r\n\r\n--- \r\nname: a\r\n---\r\nlook\r\n")
    assert (found.fields, found.opened, found.closed, found.body) == ({"name": Field(4, "a")}, 3, 5, "look")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        pytest.param("", 1, "it has no frontmatter", id="an empty file"),
        pytest.param("\n\n# Look\n", 3, "it has no frontmatter", id="only an instruction"),
        pytest.param("----\nname: a\n----\n", 1, "it has no frontmatter", id="a longer line"),
        pytest.param("\n---\nname: a\n", 2, "its frontmatter is not closed", id="no end"),
    ],
)
def test_without_both_fences_there_are_no_fields(text: str, line: int, what: str) -> None:
    found = read_frontmatter(text)
    assert isinstance(found, ReviewerProblem)
    assert (found.line, found.what) == (line, what)


def test_the_example_has_three_lines_and_is_read() -> None:
    found = read_frontmatter("# Look")
    assert isinstance(found, ReviewerProblem)
    assert found.help.endswith(f":\n{EXAMPLE}")
    assert EXAMPLE.count("\n") == 2
    assert front(f"{EXAMPLE}\nLook.").fields == {"level": Field(2, "warning")}


@pytest.mark.parametrize(
    "line",
    ["name", ": a", "name:a", "  name: a", "name : a", "- a"],
)
def test_a_line_that_is_no_field_is_reported_with_its_number(line: str) -> None:
    found = front(f"---\n{line}\nlevel: warning\n---\nx")
    assert [(problem.line, problem.what) for problem in found.problems] == [(2, f"`{line.strip()}` is not a field")]
    assert found.fields == {"level": Field(3, "warning")}


def test_the_first_of_two_counts_and_the_second_is_reported() -> None:
    found = front("---\nlanguages: go\nname: a\nlanguages:\n- py\n---\nx")
    assert [(each.line, each.what) for each in found.problems] == [(4, "`languages` is set twice, first on line 2")]
    assert found.fields["languages"] == Field(2, "go")


@pytest.mark.parametrize(
    ("field", "items"),
    [
        pytest.param(Field(2, "[py, .ts]  # ours"), [(2, "py"), (2, ".ts")], id="brackets"),
        pytest.param(Field(2, "py, 'ts',"), [(2, "py"), (2, "ts")], id="commas"),
        pytest.param(Field(2, "", [(3, "py"), (4, "{a}"), (5, "")]), [(3, "py"), (4, None), (5, "")], id="lines"),
        pytest.param(Field(2, "[]"), [], id="an empty list"),
        pytest.param(Field(2, ""), [], id="nothing"),
        pytest.param(Field(2, "[py,"), None, id="a list over several lines"),
        pytest.param(Field(2, "py]"), None, id="only closed"),
        pytest.param(Field(2, "go", [(3, "py")]), None, id="both forms"),
    ],
)
def test_a_list_has_three_forms(field: Field, items: list[tuple[int, str | None]] | None) -> None:
    assert listed(field) == items
