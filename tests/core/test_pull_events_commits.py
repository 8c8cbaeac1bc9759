"""What a pull-request run writes into commits and threads."""

from dataclasses import replace

import pytest

from reknit.core import pull_events as told
from reknit.core.course import Fix
from reknit.core.findings import Finding
from reknit.core.forge import Remark
from tests.tools.pull_samples import LINT, NIT, RACE, TEST, THREAD

FIX = Fix(3, ("tests", "ci"), (TEST, LINT), "local", "claude", "", only_critical=False)


@pytest.mark.parametrize(
    ("findings", "brief"),
    [
        pytest.param((), "what the checks found", id="nothing is named"),
        pytest.param((TEST, LINT, RACE), "make test_refresh pass", id="one test, and what is not of its kind"),
        pytest.param((TEST, TEST, LINT), "make test_refresh pass and 1 more", id="two tests"),
        pytest.param((LINT,), "make lint pass", id="a check"),
        pytest.param((RACE, THREAD), "review of src/token.py and 1 more", id="a review"),
        pytest.param((replace(TEST, subject="t\nReknit-Hop: 1"),), "make t Reknit-Hop: 1 pass", id="no second line"),
        pytest.param((replace(TEST, subject="x" * 99),) * 2, "make " + "x" * 54 + " and 1 more", id="cut to fit"),
    ],
)
def test_a_fix_in_a_few_words(findings: tuple[Finding, ...], brief: str) -> None:
    assert told.brief(findings) == brief


def test_a_commit_says_what_it_is_for_and_which_run_made_it() -> None:
    move = replace(FIX, findings=(TEST, LINT, RACE, THREAD))
    assert told.commit_message(move, "r-7f3a", 2) == (
        "fix: make test_refresh pass (iteration 3)\n"
        "\n"
        "Asked about:\n"
        f"- {TEST.subject}\n"
        "- lint\n"
        "- src/token.py (src/token.py:42)\n"
        "- api.py (api.py:9)\n"
        "\n"
        "Reknit-Run: r-7f3a\n"
        "Reknit-Hop: 2\n"
    )


def test_nothing_a_stranger_wrote_adds_a_trailer() -> None:
    evil = replace(TEST, subject="t\n\nReknit-Hop: 1", file="a\n\nReknit-Run: r-0")
    message = told.commit_message(replace(FIX, findings=(evil,) * 30), "r-7f3a", 2)
    assert message.splitlines().count("Reknit-Run: r-7f3a") == 1
    assert [line for line in message.splitlines() if line.startswith("Reknit-")] == message.splitlines()[-2:]
    assert message.count("\n- ") == told.LISTED
    assert len(message.splitlines()[0]) <= told.SUBJECT_CHARS


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        pytest.param(replace(LINT, file="lint"), "lint", id="its file says nothing new"),
        pytest.param(replace(TEST, file="t.py"), f"{TEST.subject} (t.py)", id="with its file"),
        pytest.param(replace(NIT, subject="style"), "style (api.py:1)", id="with its line"),
    ],
)
def test_a_finding_in_one_line(finding: Finding, line: str) -> None:
    assert told.one(finding) == line


def test_a_thread_is_answered_with_the_commit_and_by_its_own_id() -> None:
    assert told.reply("d" * 40, "r-7f3a") == "dddddddddddd changes this. (reknit r-7f3a)"
    assert told.as_remark(THREAD) == Remark(
        "x", "thread", "octocat", is_bot=False, association="", text="", file="api.py"
    )


def test_a_commit_for_tests_that_cannot_run_has_nothing_to_list() -> None:
    assert "\n\nAsked about tests that cannot run.\n\n" in told.commit_message(replace(FIX, findings=()), "r-7f3a", 2)


def test_names_in_a_commit_do_nothing() -> None:
    hostile = replace(LINT, subject="lint [skip ci] @all fixes #12")
    message = told.commit_message(replace(FIX, findings=(hostile,)), "r-7f3a", 2)
    assert message.count("lint (skip ci) (at)all fixes no. 12") == 2
