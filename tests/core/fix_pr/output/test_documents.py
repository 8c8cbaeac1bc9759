"""The documents of a pull-request run: their shape, bounded, without secrets."""

import json
from dataclasses import replace

import pytest

from reknit.core.checks.status import ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.output import documents
from reknit.core.fix_pr.output.documents import (
    MAX_LISTED,
    to_ci_document,
    to_course_document,
    to_review_document,
    to_state_document,
)
from tests.tools.pull_samples import COURSE, FAILED, GREEN, NEW, NIT, RACE, RED, RUN, THREAD, URL, stored

TOKEN = "ghp_" + "a" * 36


def test_the_document_of_a_review() -> None:
    document = to_review_document(ReviewResult("fail", (RACE, THREAD, NIT)))
    assert (document["status"], document["critical"], document["important"]) == ("fail", 1, 1)
    issues = stored(document)["issues"]
    assert [issue["severity"] for issue in issues] == ["critical", "important", "minor"]
    wanted = {"severity": "critical", "file": "src/token.py", "line": 42, "description": "refresh race"}
    assert wanted.items() <= issues[0].items()
    assert (issues[0]["fix_hint"], issues[1]["author"]) == ("take the lock", "octocat")


def test_the_document_of_tests() -> None:
    tail = "\n".join(f"line {number}" for number in range(90)) + f"\n\x1b[31m{TOKEN}"
    document = stored(
        documents.to_tests_document(replace(RED.tests, output_tail=tail, flaky=("t::shaky",), why="a\nb"))
    )
    lines = document["output_tail"].splitlines()
    assert (len(lines), lines[0], lines[-1]) == (50, "line 41", "[GitHub token redacted]")
    assert document["failed_tests"] == ["tests/test_auth.py::test_refresh"]
    assert (document["status"], document["flaky"], document["passed"]) == ("fail", ["t::shaky"], 211)
    assert document["why"] == "a b"


def test_the_document_of_ci() -> None:
    assert stored(to_ci_document(FAILED)) == {
        "status": "fail",
        "checks": [
            {"name": "lint", "status": "fail", "url": ""},
            {"name": "test", "status": "pass", "url": "https://ci/2"},
        ],
        "shown": "lint",
        "why": "",
    }


def test_documents_are_bounded_and_redacted() -> None:
    long = Finding("R-1", "review", "x", "a.py", "a.py", 1, f"{TOKEN} " + "y" * 3_000)
    review = to_review_document(ReviewResult("fail", (long,) * 250))
    tests = documents.to_tests_document(TestsResult("fail", (long,) * 250, flaky=("t",) * 250))
    ci = to_ci_document(replace(FAILED, checks=FAILED.checks * 200))
    assert [len(stored(review)["issues"]), len(stored(ci)["checks"])] == [MAX_LISTED, MAX_LISTED]
    assert "ghp_" not in json.dumps([review, tests, ci])
    assert len(json.dumps([review, tests, ci])) < 400_000


def test_a_course_has_its_turns_and_what_is_left() -> None:
    document = stored(to_course_document(COURSE, RED))
    assert document["turns"][0] == {
        "number": 1, "head": "a" * 40, "review": "fail", "tests": "fail", "ci": "fail",
        "shown": ["1 critical, 1 important", "1 failed", "lint"], "did": "fixed tests", "commit": "b" * 40,
        "fixes": 3, "cost_usd": 0.31,
    }  # fmt: skip
    assert document["left"][0] == {
        "id": "T-1", "source": "tests", "weight": "critical", "file": "", "line": 0,
        "text": "tests/test_auth.py::test_refresh: KeyError: 'exp'", "author": "",
        "key": "tests tests/test_auth.py::test_refresh",
    }  # fmt: skip
    answering = replace(COURSE, turns=(replace(COURSE.turns[0], answered=("review-1",)),))
    assert stored(to_course_document(answering, None))["answered"] == ["review-1"]
    shaky = replace(GREEN, tests=replace(GREEN.tests, flaky=("t::x",)))
    assert stored(to_course_document(COURSE, shaky))["flaky"] == ["t::x"]


def test_the_state_before_the_first_look() -> None:
    assert to_state_document(RUN, {}, {"review": {}}) == {
        "schema": 1, "run": "r-7f3a", "ending": None, "iteration": 1, "max_iterations": 7, "pr_number": 412,
        "pr_url": URL, "check_results": {}, "history": [],
    }  # fmt: skip


def test_the_document_of_the_state() -> None:
    checks = {
        "ci": to_ci_document(FAILED),
        "review": to_review_document(RED.review),
        "tests": documents.to_tests_document(RED.tests),
    }
    state = to_state_document(RUN, stored(to_course_document(COURSE, GREEN)), checks)
    assert (state["iteration"], state["max_iterations"]) == (3, 7)
    assert state["check_results"] == checks
    assert state["history"] == [
        {"iteration": 1, "action": "check", "review": "fail", "tests": "fail", "ci": "fail"},
        {"iteration": 1, "action": "fix", "fixes": 3, "commit": "b" * 40},
        {"iteration": 2, "action": "check", "review": "fail", "tests": "error", "ci": "fail"},
        {"iteration": 2, "action": "fix", "fixes": 1, "commit": "c" * 40},
        {"iteration": 3, "action": "check", "review": "pass", "tests": "pass", "ci": "pass"},
    ]


@pytest.mark.parametrize(
    ("ending", "iteration"),
    [pytest.param(None, 3, id="the next one is under way"), pytest.param("CLEAN", 2, id="it ended with the last")],
)
def test_the_iteration_a_state_is_in(ending: str | None, iteration: int) -> None:
    state = to_state_document(replace(RUN, ending=ending), stored(to_course_document(COURSE, None)), {})
    assert (state["iteration"], state["ending"]) == (iteration, ending)


def test_a_course_of_a_new_run_can_be_kept() -> None:
    assert stored(to_course_document(NEW, None))["turns"] == []
