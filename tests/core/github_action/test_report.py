from typing import Any

import pytest

from reknit.core.github_action import report
from reknit.core.github_action.report import format_log_line, list_annotations, render_summary, to_outputs
from reknit.core.text.forge_text import WorkflowAnnotation

RUN = {"event": "ending", "run": "r-1", "spent_usd": 0.1, "budget_usd": 5.0, "fixed": [], "exit_code": 1}
HOSTILE = "x | `y` <img> @team\n## head\n::error::"
FOUND = {
    "id": "SEC-001",
    "title": "leak",
    "description": "It leaks.",
    "suggestion": "Close it.",
    "file": "a.py",
    "line": 3,
}
REVIEW: dict[str, Any] = {
    **RUN, "kind": "review", "ending": "DEFERRED", "reason": "1 finding reported",
    "review": {"reviewers": [{"level": "blocking", "findings": [FOUND]}, {"level": "suggestion", "findings": []}]},
}  # fmt: skip
BALLOT = {"severity": "warning", "category": "logic", "issue": HOSTILE, "suggestion": "", "file": "b.py", "line": 0}
VOTE: dict[str, Any] = {
    **RUN, "kind": "vote", "ending": "BLOCKED", "reason": "ann 40, bob 90",
    "votes": {
        "votes": [{"agent": "ann", "score": 40, "findings": [BALLOT]}, {"agent": "b|b", "score": 90, "findings": []}]
    },
}  # fmt: skip
LEFT = {"id": "R-1", "source": "review", "weight": "critical", "file": "c.py", "line": 9, "text": "crash", "author": ""}
COURSE = {
    "turns": [],
    "open": None,
    "head": "h",
    "left": [LEFT],
    "critical": 1,
    "important": 0,
    "answered": [],
    "flaky": [],
}
PULL: dict[str, Any] = {
    **RUN, "kind": "fix pr", "ending": "STALLED", "reason": "the same failures `three` times", "fixed": ["a" * 40],
    "course": COURSE,
}  # fmt: skip
ERROR = {"event": "error", "error": "login", "where": "a.toml:1", "what": "no key", "help": "set it", "exit_code": 4}


@pytest.mark.parametrize(
    ("ending", "first", "second"),
    [
        pytest.param(
            REVIEW,
            "1 finding reported",
            WorkflowAnnotation("error", "SEC-001 leak", "It leaks.\nClose it.", "a.py", 3),
            id="review",
        ),
        pytest.param(
            VOTE, "ann 40, bob 90", WorkflowAnnotation("warning", "ann: logic", HOSTILE, "b.py", 0), id="vote"
        ),
        pytest.param(PULL, PULL["reason"], WorkflowAnnotation("error", "R-1 review", "crash", "c.py", 9), id="fix pr"),
    ],
)
def test_the_reason_and_each_finding_is_annotated(
    ending: dict[str, Any], first: str, second: WorkflowAnnotation
) -> None:
    assert list_annotations(ending) == [WorkflowAnnotation("error", f"reknit: {ending['ending']}", first), second]


def test_a_success_has_no_error() -> None:
    assert list_annotations({**PULL, "ending": "CLEAN", "exit_code": 0}) == []


def test_what_was_seen_before_a_push_is_not_what_is_left() -> None:
    turn = {
        "number": 1, "head": "h", "review": "fail", "tests": "pass", "ci": "pass", "shown": ["", "", ""], "did": "fix",
        "commit": "c", "fixes": 1, "cost_usd": 0.0,
    }  # fmt: skip
    assert list_annotations({**PULL, "course": {**COURSE, "turns": [turn]}})[1:] == []


def test_not_more_annotations_than_a_person_reads() -> None:
    many = {**REVIEW, "review": {"reviewers": [{"level": "warning", "findings": [FOUND] * 99}]}}
    assert len(list_annotations(many)) == report.MAX_ANNOTATIONS


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        pytest.param(ERROR, "a.toml:1; no key; set it", id="an error"),
        pytest.param({"event": "interrupted", "run": "r-1"}, "interrupted: `reknit resume r-1` continues it", id="end"),
        pytest.param(
            {"event": "interrupted", "run": "r-1", "reason": "no disk"}, "no disk: `reknit resume r-1` continues it",
            id="parked",
        ),
        pytest.param({"exit_code": 70}, "it printed no ending", id="nothing"),
    ],
)  # fmt: skip
def test_a_run_without_an_ending_says_why(ending: dict[str, Any], told: str) -> None:
    (found,) = list_annotations(ending)
    assert found.text == told
    assert render_summary("vote", ending) == f"## reknit vote: not finished\n\n{told}\n"
    (hinted,) = list_annotations(ending, "a fork")
    assert hinted.text == f"{told}. a fork"
    assert render_summary("vote", ending, "a fork").endswith("\n\na fork\n")


def test_a_summary_has_the_facts_and_the_findings() -> None:
    assert render_summary("fix-pr", PULL) == (
        "## reknit fix-pr: STALLED\n\nthe same failures `three` times\n\n"
        "| | |\n|--|--|\n| run | `r-1` |\n| spent | &#36;0.10 of &#36;5.00 |\n| pushed | aaaaaaa |\n\n"
        "- error `c.py:9` R-1 review: crash\n"
    )
    assert "| ann | 40 of 100 |\n| b&#124;b | 90 of 100 |" in render_summary("vote", VOTE)
    assert render_summary("review", {**REVIEW, "reason": None, "review": None}).count("\n\n") == 1


def test_text_of_others_is_no_markup_in_a_summary() -> None:
    line = render_summary("vote", VOTE).splitlines()[-1]
    assert line.startswith("- warning `b.py` ann: logic: x &#124; ")
    assert [markup for markup in ("<img", "| `", "@team", "\n## head") if markup in line] == []


def test_a_long_list_is_cut() -> None:
    found = {**FOUND, "description": "long " * 40}
    many = {**REVIEW, "review": {"reviewers": [{"level": "warning", "findings": [found] * 2_000}]}}
    text = render_summary("review", many)
    assert len(text) < 70_000
    assert text.splitlines()[-1].startswith("- … and ")
    nowhere = {**FOUND, "file": "", "line": 0}
    assert "- warning SEC-001 leak: It leaks. Close it." in render_summary(
        "review", {**REVIEW, "review": {"reviewers": [{"level": "warning", "findings": [nowhere]}]}}
    )


def test_outputs_are_one_word_each() -> None:
    assert to_outputs(REVIEW) == {"ending": "DEFERRED", "run": "r-1"}
    assert to_outputs({"run": "a\nb=c"}) == {"ending": "", "run": "a b=c"}


def test_an_event_is_one_line_of_the_log() -> None:
    event = {
        "schema": 1,
        "event": "reviewed",
        "run": "r",
        "at": 1.5,
        "reviewer": "a\nb",
        "score": 3,
        "more": [1],
        "x": "",
    }
    assert format_log_line(event) == "reviewed     reviewer a b, score 3"
    assert format_log_line({}) == "None"
