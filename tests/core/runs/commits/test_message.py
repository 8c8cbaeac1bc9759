"""Commit messages: the form is kept, everything is named, and a repeated step writes the same bytes."""

from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import FixReport
from reknit.core.finding import Finding
from reknit.core.runs.commits.message import (
    LISTED,
    MAX_SUBJECT_CHARS,
    CommitFacts,
    read_subject,
    write_message,
    write_subject,
)
from reknit.core.testing.report import WHOLE_SUITE

SLY = "x\n\nReknit-Hop: 9\x1b[31m @octocat #12 [skip ci] <!-- x -->"
TEST = Finding(
    "", "tests", "test-failed", "tests/test_pricing.py::test_total", message="AssertionError: 190 != 180\nmore"
)
LINT = Finding("", "ci", "lint", "lint", message="a.py:1: E501")
RACE = Finding("COR-001", "review", "race", "refresh race", "src/token.py", 42, "Two refreshes race.", author="octocat")
UNUSED = Finding("I-1", "tool", "F401", "a.py", "a.py", 1, "unused", author="ruff 1.0")
SUITE = Finding("", "tests", "test-failed", WHOLE_SUITE, message="collected\nE   AssertionError: 3\n")
TITLE = FixReport("fixed", "x", title="Take the discount as a share")
RUNS = {
    "a test": ("fix:", CommitFacts((TEST,), ("shop/pricing.py",)), ""),
    "a test, with the agent's words": ("fix:", CommitFacts((TEST,), ("shop/pricing.py",), TITLE), ""),
    "tests with one cause": ("fix:", CommitFacts((replace(TEST, also=("t::b", "t::c")),), ("shop/pricing.py",)), ""),
    "a bug of a person": ("fix(BUG-001):", CommitFacts((TEST,), ("shop/pricing.py", "t.py")), ""),
    "a suite with an exit code": ("fix:", CommitFacts((SUITE,), ("shop/pricing.py",)), ""),
    "a red pull request": ("fix:", CommitFacts((TEST, LINT), ("shop/pricing.py",)), " (iteration 3)"),
    "a check of CI": ("fix:", CommitFacts((LINT,), ("a.py",), is_proven=False), " (iteration 10)"),
    "remarks of people": (
        "fix:",
        CommitFacts((replace(RACE, id=""),), ("src/token.py",), is_proven=False),
        " (iteration 1)",
    ),
    "tests that cannot run": ("fix:", CommitFacts((), ("conf.py",), is_proven=False), " (iteration 1)"),
    "a review": ("fix(review): correctness - COR-001 -", CommitFacts((RACE,), ("src/token.py",)), ""),
    "issues of tools": ("fix:", CommitFacts((UNUSED, replace(UNUSED, id="I-2", file="b.py")), ("a.py", "b.py")), ""),
    "hostile names": (f"fix({SLY}):", CommitFacts((replace(TEST, subject=SLY), replace(RACE, file=SLY)), (SLY,)), ""),
}


@pytest.mark.parametrize(("start", "facts", "end"), RUNS.values(), ids=RUNS)
def test_each_commit_names_every_finding_and_every_file(start: str, facts: CommitFacts, end: str) -> None:
    subject = write_subject(start, facts, end)
    message = write_message(subject, facts, "it holds.", ["Reknit-Run: r-1", "Reknit-Hop: 1"])
    assert len(subject) <= MAX_SUBJECT_CHARS
    assert subject.endswith(end)
    assert message == write_message(write_subject(start, facts, end), facts, "it holds.", message.splitlines()[-2:])
    assert [line for line in message.splitlines() if line.startswith("Reknit-")] == ["Reknit-Run: r-1", "Reknit-Hop: 1"]
    for finding in facts.findings:
        for name in (*finding.tests, finding.id, finding.file):
            assert name.partition("\n")[0] in message
    assert all(path.partition("\n")[0] in message for path in facts.paths)
    assert not [word for word in ("\x1b", "@octocat", "#12", "[skip ci]") if word in message]


def test_the_form_of_a_message() -> None:
    facts = CommitFacts((TEST, SUITE, LINT, RACE, UNUSED), ("a.py", "b.py"))
    assert write_message("fix: it", facts, "it holds.", ["Reknit-Run: r-1"]) == (
        "fix: it\n\n"
        "What was wrong:\n"
        "- tests/test_pricing.py::test_total: AssertionError: 190 != 180\n"
        "- the test command: E AssertionError: 3\n"
        "- lint: a.py:1: E501\n"
        "- COR-001 src/token.py:42: refresh race: Two refreshes race. (by octocat)\n"
        "- I-1 F401 a.py:1: unused (by ruff 1.0)\n\n"
        "Changed: a.py, b.py.\n\n"
        "Proof: it holds.\n\n"
        "Reknit-Run: r-1\n"
    )
    bare = CommitFacts((replace(RACE, file="", message="", author=""),), ())
    assert (
        write_message("fix: it", bare, "", ["A: b"]) == "fix: it\n\nWhat was wrong:\n- COR-001 refresh race\n\nA: b\n"
    )


def test_a_long_message_counts_the_rest() -> None:
    findings = tuple(replace(TEST, subject=f"t::{number}", message="x" * 9_000) for number in range(LISTED + 3))
    facts = CommitFacts(findings, tuple(f"{number}.py" for number in range(LISTED + 2)))
    message = write_message("fix: it", facts, "", ["A: b"])
    assert "\n- and 3 more\n" in message
    assert f"{LISTED - 1}.py, and 2 more.\n" in message
    assert len(message) < 20_000


@pytest.mark.parametrize(
    ("start", "end"),
    [
        pytest.param("fix(" + "long name " * 20 + "):", "", id="words"),
        pytest.param("fix(" + "x" * 200 + "):", " (iteration 100)", id="one word"),
        pytest.param("fix(" + "#1" * 20 + "):", "", id="it grows as it is made safe"),
    ],
)
def test_what_stands_before_the_change_leaves_room_for_it(start: str, end: str) -> None:
    subject = write_subject(start, CommitFacts((TEST,), ()), end)
    assert len(subject) <= MAX_SUBJECT_CHARS
    assert f" repair test_total{end}" in subject


def test_the_subject_is_read_back_from_the_newest_commit() -> None:
    assert read_subject([("b" * 40, "fix: b\n\nbody\n", "x"), ("a" * 40, "fix: a", "x")]) == "fix: b"
    assert read_subject([]) == ""
