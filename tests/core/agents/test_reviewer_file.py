"""Reviewer files: what they may say, and everything that is wrong in one, with its line."""

import pytest

from reknit.core.agents.reviewer import Reviewer, ReviewerProblem
from reknit.core.agents.reviewer_file import (
    EXAMPLE,
    Frontmatter,
    FrontmatterField,
    derive_prefix,
    parse_list,
    parse_reviewer,
    read_frontmatter,
)

WHERE = ".reknit/reviewers/api.md"


def parsed(*fields: str, body: str = "Look.") -> Reviewer:
    found = parse_reviewer("\n".join(("---", *fields, "---", body)), WHERE, "api")
    assert isinstance(found, Reviewer)
    return found


def wrong(*fields: str, body: str = "Look.", name: str = "api") -> list[ReviewerProblem]:
    found = parse_reviewer("\n".join(("---", *fields, "---", body)), WHERE, name)
    assert isinstance(found, tuple)
    return list(found)


def test_every_field_is_read() -> None:
    fields = (
        "name: api-contracts",
        "level: blocking",
        "prefix: API",
        "languages: [py, .TS]",
        "agent: codex",
        "model: m-5.1",
    )
    assert parsed(*fields, body="\n# Contracts\n\nLook.\n") == Reviewer(
        name="api-contracts", level="blocking", prefix="API", text="# Contracts\n\nLook.", languages=("py", "ts"),
        agent="codex", model="m-5.1", origin=WHERE, agent_line=6,
    )  # fmt: skip


def test_only_the_level_is_needed() -> None:
    assert parsed("level: 'suggestion'") == Reviewer("api", "suggestion", "API", "Look.", origin=WHERE)


@pytest.mark.parametrize(
    ("fields", "languages"),
    [
        pytest.param(["languages: [py, ts]"], ("py", "ts"), id="brackets"),
        pytest.param(["languages: py, ts"], ("py", "ts"), id="commas"),
        pytest.param(["languages:", "  - py", "  - .ts"], ("py", "ts"), id="lines"),
        pytest.param(["languages: [.PY, py]"], ("py",), id="the same twice"),
        pytest.param(["languages: [c++, objective-c]"], ("c++", "objective-c"), id="other characters"),
        pytest.param(["languages: []"], (), id="an empty list"),
        pytest.param(["languages:"], (), id="nothing"),
    ],
)
def test_languages_are_extensions_without_the_dot(fields: list[str], languages: tuple[str, ...]) -> None:
    assert parsed("level: warning", *fields).languages == languages


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("security", "SEC"), ("api-contracts", "AC"), ("a_b_c_d_e_f_g", "ABCDEF"), ("go", "GO"), ("x1", ""), ("42", "")],
)
def test_a_prefix_is_derived_from_the_name(name: str, prefix: str) -> None:
    assert derive_prefix(name) == prefix


def test_hidden_characters_and_secrets_stay_out_of_the_instruction() -> None:
    assert parsed("level: warning", body="be\u200b good ghp_" + "a" * 36).text == "be good [GitHub token redacted]"


@pytest.mark.parametrize(
    ("fields", "line", "what", "hint"),
    [
        pytest.param(["lvel: x", "level: warning"], 2, "unknown field `lvel`", "did you mean `level`?", id="nearly"),
        pytest.param(
            ["tools: Read", "level: warning"], 2, "unknown field `tools`",
            "the fields are name, level, prefix, languages, agent, model", id="another tool's field",
        ),
        pytest.param(
            ["name: api"], 1, "`level` is missing",
            "add `level: warning`; the levels are blocking, warning, suggestion", id="no level",
        ),
        pytest.param(["level:"], 2, "`level` is empty", "the levels are blocking, warning, suggestion", id="empty"),
        pytest.param(["level: Blockng"], 2, "`Blockng` is not a level", "did you mean `blocking`?", id="a near level"),
        pytest.param(
            ["level: warning", "- blocking"], 3, "`level` takes one value, not a list", "write `level: …` on one line",
            id="two levels",
        ),
        pytest.param(
            ["level: warning", "level: blocking"], 3, "`level` is set twice, first on line 2", "keep one of them",
            id="twice",
        ),
        pytest.param(
            ["level: warning", "name: API Contracts"], 3,
            "`API Contracts` is not a reviewer's name: expected lower-case letters, digits and hyphens",
            "write `name: api-contracts`", id="a name with a space",
        ),
        pytest.param(["name:", "level: warning"], 2, "`name` is empty", "write `name: my-reviewer`", id="no name"),
        pytest.param(
            ["name: x1", "level: warning"], 1, "no prefix can be derived from the name `x1`",
            "add one of 2 to 6 capital letters, such as `prefix: ABC`", id="too few letters for a prefix",
        ),
        pytest.param(
            ["level: warning", "prefix: sec"], 3, "`prefix` must be 2 to 6 capital letters, not `sec`",
            "did you mean `SEC`?", id="a small prefix",
        ),
        pytest.param(
            ["level: warning", "prefix: S1"], 3, "`prefix` must be 2 to 6 capital letters, not `S1`",
            "for example `prefix: SEC`", id="a prefix with a digit",
        ),
        pytest.param(
            ["level: warning", "languages: [py,"], 3, "`languages` is not a list", "write `languages: [py, ts]`",
            id="an open list",
        ),
        pytest.param(
            ["level: warning", "languages: Python"], 3, "`Python` is not a file extension", "did you mean `py`?",
            id="a language",
        ),
        pytest.param(
            ["level: warning", "languages:", "- all"], 4, "`all` is not a file extension",
            "leave `languages` out to review all files", id="all",
        ),
        pytest.param(
            ["level: warning", "languages: py ts"], 3, "`py ts` is not a file extension",
            "write `languages: [py, ts]`", id="no commas",
        ),
        pytest.param(
            ["level: warning", "languages: [{a}]"], 3, "`` is not a file extension", "write `languages: [py, ts]`",
            id="a table",
        ),
        pytest.param(
            ["level: warning", "agent: [claude, codex]"], 3, "`agent` must be one word, not `[claude, codex]`",
            "write `agent: …` without spaces", id="two agents",
        ),
        pytest.param(
            ["level: warning", "model:", "- a"], 4, "`model` takes one value, not a list",
            "write `model: …` on one line", id="a list of models",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_has_a_line_and_a_hint(fields: list[str], line: int, what: str, hint: str) -> None:
    assert wrong(*fields) == [ReviewerProblem(line, what, hint)]


def test_an_empty_body_is_no_instruction() -> None:
    (problem,) = wrong("level: warning", body=" \n\u200b\n")
    assert (problem.line, problem.message) == (3, "it has no instruction")


def test_a_file_name_that_is_no_name_needs_one_inside() -> None:
    (problem,) = wrong("level: warning", name="Our API!")
    assert (problem.line, problem.help) == (1, "write `name: our-api`")
    (problem,) = wrong("level: warning", name="a" * 41)
    assert problem.help == f"write `name: {'a' * 40}`"


def test_no_frontmatter_is_the_only_problem() -> None:
    found = parse_reviewer("# Look", WHERE, "api")
    assert isinstance(found, tuple)
    assert [problem.message for problem in found] == ["it has no frontmatter"]


def test_all_of_them_are_reported_at_once_by_line() -> None:
    found = wrong("nmae: x", "prefix: 1", "agent: a b", "oops", body="")
    assert [problem.line for problem in found] == [1, 2, 3, 4, 5, 6]


def test_long_words_are_cut_in_a_message() -> None:
    (problem,) = wrong("level: warning", f"agent: {'x' * 500}")
    assert len(problem.message) < 120


def front(text: str) -> Frontmatter:
    found = read_frontmatter(text)
    assert isinstance(found, Frontmatter)
    return found


def test_fields_have_their_lines_and_the_body_is_the_rest() -> None:
    found = front("---\n# ours\nname: a\n\nlanguages:\n  - py\n- ts\nmodel:\n---\n\n# Look\n\n---\nmore\n")
    assert found.fields == {
        "name": FrontmatterField(3, "a"),
        "languages": FrontmatterField(5, "", [(6, "py"), (7, "ts")]),
        "model": FrontmatterField(8, ""),
    }
    assert (found.opened, found.closed, found.problems) == (1, 9, ())
    assert found.body == "# Look\n\n---\nmore"


def test_what_editors_add_changes_nothing() -> None:
    found = front("\ufeff\r\n\r\n--- \r\nname: a\r\n---\r\nlook\r\n")
    assert (found.fields, found.opened, found.closed, found.body) == ({"name": FrontmatterField(4, "a")}, 3, 5, "look")


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
    assert (found.line, found.message) == (line, what)


def test_the_example_has_three_lines_and_is_read() -> None:
    found = read_frontmatter("# Look")
    assert isinstance(found, ReviewerProblem)
    assert found.help.endswith(f":\n{EXAMPLE}")
    assert EXAMPLE.count("\n") == 2
    assert front(f"{EXAMPLE}\nLook.").fields == {"level": FrontmatterField(2, "warning")}


@pytest.mark.parametrize(
    "line",
    ["name", ": a", "name:a", "  name: a", "name : a", "- a"],
)
def test_a_line_that_is_no_field_is_reported_with_its_number(line: str) -> None:
    found = front(f"---\n{line}\nlevel: warning\n---\nx")
    assert [(problem.line, problem.message) for problem in found.problems] == [(2, f"`{line.strip()}` is not a field")]
    assert found.fields == {"level": FrontmatterField(3, "warning")}


def test_the_first_of_two_counts_and_the_second_is_reported() -> None:
    found = front("---\nlanguages: go\nname: a\nlanguages:\n- py\n---\nx")
    assert [(each.line, each.message) for each in found.problems] == [(4, "`languages` is set twice, first on line 2")]
    assert found.fields["languages"] == FrontmatterField(2, "go")


@pytest.mark.parametrize(
    ("field", "items"),
    [
        pytest.param(FrontmatterField(2, "[py, .ts]  # ours"), [(2, "py"), (2, ".ts")], id="brackets"),
        pytest.param(FrontmatterField(2, "py, 'ts',"), [(2, "py"), (2, "ts")], id="commas"),
        pytest.param(
            FrontmatterField(2, "", [(3, "py"), (4, "{a}"), (5, "")]), [(3, "py"), (4, None), (5, "")], id="lines"
        ),
        pytest.param(FrontmatterField(2, "[]"), [], id="an empty list"),
        pytest.param(FrontmatterField(2, ""), [], id="nothing"),
        pytest.param(FrontmatterField(2, "[py,"), None, id="a list over several lines"),
        pytest.param(FrontmatterField(2, "py]"), None, id="only closed"),
        pytest.param(FrontmatterField(2, "go", [(3, "py")]), None, id="both forms"),
    ],
)
def test_a_list_has_three_forms(field: FrontmatterField, items: list[tuple[int, str | None]] | None) -> None:
    assert parse_list(field) == items
