"""Agent files: who gets which, and what of a file is for an agent."""

import pytest

from reknit.core.agents.instructions import (
    FIXING,
    NAMES,
    VOTING,
    join_challenger_guides,
    join_fixer_guides,
    join_rework_guides,
    join_voter_guides,
    select_files,
    strip_front_matter,
)
from reknit.core.repository.file_kinds import DeveloperKind

FILES = tuple((name, f"<{name}>\n") for name in NAMES)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        pytest.param("backend", ["fixer", "dev_be", "engineering_principles"], id="backend"),
        pytest.param("frontend", ["fixer", "dev_fe", "engineering_principles"], id="frontend"),
    ],
)
def test_a_fixer_gets_the_developer_of_its_files(kind: DeveloperKind, names: list[str]) -> None:
    assert join_fixer_guides(kind, FILES) == "\n\n".join(f"<{name}>" for name in names)
    assert join_rework_guides([kind], FILES) == join_fixer_guides(kind, FILES)


def test_who_works_on_a_whole_change_gets_both() -> None:
    names = ["fixer", "dev_be", "dev_fe", "engineering_principles"]
    assert join_rework_guides({"frontend", "backend"}, FILES) == "\n\n".join(f"<{name}>" for name in names)


def test_a_challenger_gets_its_own_alone() -> None:
    assert join_challenger_guides(FILES) == "<fix_challenger>"


@pytest.mark.parametrize(
    ("kinds", "names"),
    [
        pytest.param(["backend"], ["reviewer_be_architecture", "reviewer_be_quality"], id="backend"),
        pytest.param(["frontend"], ["reviewer_fe_architecture", "reviewer_fe_quality"], id="frontend"),
        pytest.param(["frontend", "backend"], list(VOTING), id="both, backend first"),
        pytest.param([], [], id="a pull request without files"),
    ],
)
def test_a_voter_gets_the_reviewers_of_what_was_changed(kinds: list[DeveloperKind], names: list[str]) -> None:
    assert join_voter_guides(kinds, FILES) == "\n\n".join(f"<{name}>" for name in names)


def test_a_file_that_is_empty_or_missing_leaves_no_gap() -> None:
    assert join_fixer_guides("backend", [("fixer", "F"), ("dev_be", " \n")]) == "F"


def test_a_run_carries_only_what_it_needs() -> None:
    assert [name for name, _ in select_files(FILES, FIXING)] == list(FIXING)
    assert [name for name, _ in select_files(FILES, VOTING)] == list(VOTING)
    assert {*FIXING, *VOTING} == {*NAMES}


@pytest.mark.parametrize(
    ("text", "body"),
    [
        pytest.param("# Be good\n", "# Be good", id="none"),
        pytest.param("---\nname: fixer\nmodel: x\n---\n\n# Be good\n", "# Be good", id="settings of another tool"),
        pytest.param("\ufeff---\r\nname: fixer\r\n---\r\n# Be\r\ngood", "# Be\ngood", id="as Windows writes it"),
        pytest.param("\n---  \nname: x\n...\nBe good", "Be good", id="ended by dots, after an empty line"),
        pytest.param("---\n---\nBe good", "Be good", id="empty settings"),
        pytest.param("---\nname: x\n---", "", id="nothing but settings"),
        pytest.param("---\nnever ends\n# Be good", "---\nnever ends\n# Be good", id="settings that never end"),
        pytest.param("Be good\n---\nname: x\n---\n", "Be good\n---\nname: x\n---", id="a line in the text"),
        pytest.param("----\nBe good\n----", "----\nBe good\n----", id="a longer line"),
    ],
)
def test_the_settings_at_its_head_are_not_for_the_agent(text: str, body: str) -> None:
    assert strip_front_matter(text) == body
