"""What a pull-request run writes into commits and threads."""

from dataclasses import replace

import pytest

from reknit.core.finding import Finding
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.push import Pushed
from reknit.core.fix_pr.state import Fix
from reknit.core.forge.values import Remark
from tests.tools.pull_samples import LINT, NIT, RACE, TEST, THREAD

FIX = Fix(3, ("tests", "ci"), (TEST, LINT), "local", "claude", "", only_critical=False)


@pytest.mark.parametrize(
    ("findings", "brief"),
    [
        pytest.param((), "tests that cannot run", id="nothing is named"),
        pytest.param((replace(TEST, rule="test-command"),), "tests that cannot run", id="the command gave no answer"),
        pytest.param((TEST, LINT, RACE), "failing test test_refresh", id="one test, and what is not of its kind"),
        pytest.param((TEST, TEST, LINT), "failing test test_refresh and 1 more", id="two tests"),
        pytest.param((LINT,), "failing check lint", id="a check"),
        pytest.param((RACE, THREAD), "review of src/token.py and 1 more", id="a review"),
        pytest.param(
            (replace(RACE, subject="review of ann", file=""),), "review of ann", id="a review without a place"
        ),
        pytest.param((replace(TEST, subject="t\nReknit-Hop: 1"),), "failing test t Reknit-Hop: 1", id="no second line"),
        pytest.param((replace(TEST, subject="x" * 99),) * 2, f"failing test {'x' * 24} and 1 more", id="cut to fit"),
    ],
)
def test_a_fix_in_a_few_words(findings: tuple[Finding, ...], brief: str) -> None:
    assert events.summarize_target(findings) == brief


CANNOT_RUN = replace(TEST, rule="test-command")
LONG = replace(LINT, subject="x" * 300)


@pytest.mark.parametrize(
    ("findings", "is_shown"),
    [
        pytest.param((TEST,), True, id="one red test that passes now"),
        pytest.param((TEST, LINT, RACE), True, id="one red test that passes now, and more"),
        pytest.param((TEST, TEST), False, id="several red tests, of which one passes now"),
        pytest.param((CANNOT_RUN,), False, id="tests that could not run"),
        pytest.param((), False, id="nothing named"),
        pytest.param((LINT,), False, id="a check"),
        pytest.param((LINT, RACE), False, id="a check and a review"),
        pytest.param((RACE,), False, id="a review"),
        pytest.param((THREAD,), False, id="a thread"),
        pytest.param((NIT,), False, id="a nit"),
        pytest.param((LONG,) * 30, False, id="a long name"),
        pytest.param((replace(TEST, subject="x" * 300),), True, id="a test with a long name"),
    ],
)
def test_a_subject_claims_only_what_our_own_runs_have_shown(findings: tuple[Finding, ...], is_shown: bool) -> None:
    move = replace(FIX, number=100, findings=findings)
    subject = events.format_commit_message(move, "r-1", 1).splitlines()[0]
    assert len(subject) <= events.SUBJECT_CHARS
    assert subject.startswith("fix: make " if is_shown else "fix: change for ")
    assert (" pass (iteration 100)" in subject) == is_shown
    assert subject.endswith("(iteration 100)" if is_shown else "(iteration 100, not yet confirmed)")
    assert subject in events.report_push(move, "d" * 40, "refresh").text
    proof = events.to_proof(Pushed("d" * 40), findings)
    assert proof is not None
    assert proof.word == ("proven" if is_shown else "held")


def test_a_commit_says_what_it_is_for_and_which_run_made_it() -> None:
    move = replace(FIX, findings=(TEST, LINT, RACE, THREAD))
    assert events.format_commit_message(move, "r-7f3a", 2) == (
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
    message = events.format_commit_message(replace(FIX, findings=(evil,) * 30), "r-7f3a", 2)
    assert message.splitlines().count("Reknit-Run: r-7f3a") == 1
    assert [line for line in message.splitlines() if line.startswith("Reknit-")] == message.splitlines()[-2:]
    assert message.count("\n- ") == events.LISTED
    assert len(message.splitlines()[0]) <= events.SUBJECT_CHARS


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        pytest.param(replace(LINT, file="lint"), "lint", id="its file says nothing new"),
        pytest.param(replace(TEST, file="t.py"), f"{TEST.subject} (t.py)", id="with its file"),
        pytest.param(replace(NIT, subject="style"), "style (api.py:1)", id="with its line"),
    ],
)
def test_a_finding_in_one_line(finding: Finding, line: str) -> None:
    assert events.format_finding(finding) == line


def test_a_thread_is_answered_with_the_commit_and_by_its_own_id() -> None:
    assert events.format_reply("d" * 40, "r-7f3a") == "dddddddddddd changes this. (reknit r-7f3a)"
    assert events.to_remark(THREAD) == Remark(
        "x", "thread", "octocat", is_bot=False, association="", text="", file="api.py"
    )


def test_a_commit_for_tests_that_cannot_run_has_nothing_to_list() -> None:
    assert "\n\nAsked about tests that cannot run.\n\n" in events.format_commit_message(
        replace(FIX, findings=()), "r-7f3a", 2
    )


def test_names_in_a_commit_do_nothing() -> None:
    hostile = replace(LINT, subject="lint [skip ci] @all fixes #12")
    message = events.format_commit_message(replace(FIX, findings=(hostile,)), "r-7f3a", 2)
    assert message.count("lint (skip ci) (at)all fixes no. 12") == 2
