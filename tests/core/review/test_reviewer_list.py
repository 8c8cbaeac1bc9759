from reknit.core.agents.reviewer import Reviewer
from reknit.core.review.reviewer_list import render_judges_note, render_reviewer_table, to_json

REVIEWERS = (
    Reviewer("security", "blocking", "SEC", "text"),
    Reviewer("api", "suggestion", "API", "text", ("py", "ts"), "codex", "m-5", ".reknit/reviewers/api.md"),
    Reviewer("docs", "warning", "DOC", "text", model="m-5", origin="/home/\x1b[2Jann/docs.md"),
)


def test_the_table_is_aligned_and_says_where_each_comes_from() -> None:
    assert render_reviewer_table(REVIEWERS) == [
        "reviewer  level       prefix  languages  agent          from",
        "security  blocking    SEC     all        default        reknit",
        "api       suggestion  API     py, ts     codex (m-5)    .reknit/reviewers/api.md",
        "docs      warning     DOC     all        default (m-5)  /home/ann/docs.md",
    ]


def test_json_has_every_field_but_the_instruction() -> None:
    assert to_json(REVIEWERS[:2]) == [
        {
            "name": "security", "level": "blocking", "prefix": "SEC", "languages": [], "agent": "", "model": "",
            "shipped": True, "origin": "",
        },
        {
            "name": "api", "level": "suggestion", "prefix": "API", "languages": ["py", "ts"], "agent": "codex",
            "model": "m-5", "shipped": False, "origin": ".reknit/reviewers/api.md",
        },
    ]  # fmt: skip


def test_whose_judges_count() -> None:
    assert render_judges_note("1234567890").startswith(
        "reviewers, challengers, voters and their settings are those of 1234567,"
    )
    assert render_judges_note("").startswith("no default branch is known here, so reviewers")
