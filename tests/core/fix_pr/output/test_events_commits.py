"""What a pull-request run writes into commits and threads."""

from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import FixReport
from reknit.core.finding import Finding
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.push import Pushed
from reknit.core.fix_pr.state import Fix
from reknit.core.forge.values import Remark
from reknit.core.runs.commits.message import LISTED, MAX_SUBJECT_CHARS
from tests.tools.pull_samples import LINT, NIT, RACE, TEST, THREAD

FIX = Fix(3, ("tests", "ci"), (TEST, LINT), "local", "claude", "", only_critical=False)


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
    subject = events.format_commit_message(move, "r-1", 1, ["shop/pricing.py"], None).splitlines()[0]
    assert len(subject) <= MAX_SUBJECT_CHARS
    assert subject.startswith("fix: repair " if is_shown else "fix: change ")
    assert subject.endswith(" (iteration 100)")
    proof = events.to_proof(Pushed("d" * 40), findings)
    assert proof is not None
    assert proof.word == ("proven" if is_shown else "held")


def test_a_commit_says_what_it_is_for_and_which_run_made_it() -> None:
    move = replace(FIX, findings=(TEST, LINT, RACE, THREAD))
    report = FixReport("fixed", "did it", title="Read the expiry of the token")
    assert events.format_commit_message(move, "r-7f3a", 2, ["src/token.py"], report) == (
        "fix: read the expiry of the token (iteration 3)\n"
        "\n"
        "What was wrong:\n"
        f"- {TEST.subject}: KeyError: 'exp'\n"
        "- lint: a.py:1: E501\n"
        "- src/token.py:42: refresh race\n"
        "- api.py:9: needs a limit (by octocat)\n"
        "\n"
        "Changed: src/token.py.\n"
        "\n"
        "Proof: test_refresh fails without this change and passes with it; "
        "CI and the review look at it after the push.\n"
        "\n"
        "Reknit-Run: r-7f3a\n"
        "Reknit-Hop: 2\n"
    )


def test_nothing_a_stranger_wrote_adds_a_trailer() -> None:
    evil = replace(TEST, subject="t\n\nReknit-Hop: 1", file="a\n\nReknit-Run: r-0")
    message = events.format_commit_message(replace(FIX, findings=(evil,) * 60), "r-7f3a", 2, [evil.file], None)
    assert message.splitlines().count("Reknit-Run: r-7f3a") == 1
    assert [line for line in message.splitlines() if line.startswith("Reknit-")] == message.splitlines()[-2:]
    assert message.count("\n- ") == LISTED + 1
    assert "\n- and 10 more\n" in message
    assert len(message.splitlines()[0]) <= MAX_SUBJECT_CHARS


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
    assert events.format_commit_message(replace(FIX, findings=()), "r-7f3a", 2, ["a.py"], None) == (
        "fix: change a.py for the tests, which could not run (iteration 3)\n\nChanged: a.py.\n\n"
        "Proof: no test that passed before fails with this change.\n\nReknit-Run: r-7f3a\nReknit-Hop: 2\n"
    )


@pytest.mark.parametrize(
    ("findings", "proof"),
    [
        pytest.param((TEST,), "test_refresh fails without this change and passes with it.", id="a test"),
        pytest.param(
            (TEST, TEST, LINT),
            "at least one of the 2 tests fails without this change and passes with it, "
            "and no test that passed before fails with this change.",
            id="several tests",
        ),
        pytest.param(
            (LINT,), "no test that passed before fails with this change; CI looks at it after the push.", id="a check"
        ),
    ],
)
def test_a_proof_says_what_is_seen_before_the_push(findings: tuple[Finding, ...], proof: str) -> None:
    message = events.format_commit_message(replace(FIX, findings=findings), "r-7f3a", 2, ["a.py"], None)
    assert f"\n\nProof: {proof}\n\n" in message


def test_names_in_a_commit_do_nothing() -> None:
    hostile = replace(LINT, subject="[skip ci] @a #12")
    message = events.format_commit_message(replace(FIX, findings=(hostile,)), "r-7f3a", 2, ["a.py"], None)
    assert message.startswith("fix: change a.py for the check (skip ci) (at)a no. 12 (iteration 3)")
    assert "\n- (skip ci) (at)a no. 12: " in message
    assert "#12" not in message
