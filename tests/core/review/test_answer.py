"""A reviewer's report: findings must name a place that exists, and the verdict follows from what remains."""

from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import ReportedFinding, Review, Verdict
from reknit.core.agents.call import AgentCall, Done, RateLimited
from reknit.core.review.answer import (
    SECOND_LOOK,
    NumberedFinding,
    SavedReview,
    build_entry,
    build_last_entries,
    build_second_entry,
    decide_verdict,
    describe_misplaced,
    explain_silence,
    list_new,
)
from reknit.core.review.progress import FixAttempt, LeftOutFinding, ListedWork, ReviewProgress
from reknit.core.review.progress_file.entries import FailedEntry, ListedFinding, ReviewEntry
from reknit.core.runs.agent_rotation import AgentRotation
from tests.tools.review_samples import COR, FIRST, LAST, MEAN, NEEDS_WORK, ONE, SILENT, SPEC, TARGET, TWO

FOUND = ReportedFinding("logic", "blocking", "shop.py", 6, "An empty list\ndivides by zero.")


def lines_of(path: str) -> int | None:
    return {"shop.py": 6, "empty.py": 0}.get(path)


@pytest.mark.parametrize(
    ("file", "line", "told"),
    [
        pytest.param("shop.py", 6, (), id="its last line"),
        pytest.param("shop.py", 0, (), id="the whole file"),
        pytest.param("empty.py", 0, (), id="an empty file"),
        pytest.param("shop.py", 7, ("shop.py:7: An empty list divides by zero.",), id="a line after the last"),
        pytest.param("empty.py", 1, ("empty.py:1: An empty list divides by zero.",), id="a line of an empty file"),
        pytest.param("none.py", 0, ("none.py: An empty list divides by zero.",), id="no such file"),
        pytest.param("a\nb", 1, ("a b:1: An empty list divides by zero.",), id="a name cannot add a line"),
    ],
)
def test_a_finding_names_a_place_that_exists(file: str, line: int, told: tuple[str, ...]) -> None:
    assert describe_misplaced([replace(FOUND, file=file, line=line)], lines_of) == told


def test_a_long_text_is_cut() -> None:
    (told,) = describe_misplaced([replace(FOUND, file="none.py", issue="word " * 1_000)], lines_of)
    assert len(told) == len("none.py:6: ") + 200


@pytest.mark.parametrize(
    ("verdict", "left", "dropped", "expected"),
    [
        ("needs_work", 1, 0, "NEEDS_WORK"),
        ("needs_work", 0, 0, "PASSED"),
        ("needs_work", 0, 1, "NEEDS_WORK"),
        ("passed", 1, 1, "PASSED"),
    ],
)
def test_only_what_a_person_silenced_makes_a_review_pass(
    verdict: Verdict, left: int, dropped: int, expected: str
) -> None:
    assert decide_verdict(Review(verdict, 40, "words", (FOUND,)), left, dropped) == expected


def test_the_entry_says_what_was_found() -> None:
    saved = SavedReview("NEEDS_WORK", (NumberedFinding(MEAN, 7, 2), NumberedFinding(FIRST, 8, 4)), dropped=1)
    assert build_entry(COR, NEEDS_WORK, saved) == ReviewEntry(
        60.0, "correctness", "blocking", "NEEDS_WORK", (MEAN, FIRST)
    )


def test_the_last_entries_name_who_gave_no_answer_and_what_is_not_fixed() -> None:
    left_out = tuple(LeftOutFinding("tests", name, name, "it is about tests") for name in ("TST-001", "TST-002"))
    progress = ReviewProgress(
        AgentRotation(("claude",)), "base", (NEEDS_WORK, SILENT), ListedWork((ONE, TWO), left_out=left_out),
        attempts=(FixAttempt(1, 1, succeeded=True, why=""), FixAttempt(2, 2, succeeded=False, why="red")),
    )  # fmt: skip
    assert build_last_entries(progress, SPEC, 120.0, "no budget") == [
        ReviewEntry(0.0, "tests", "warning", "NO_ANSWER", reason="gemini: crashed"),
        FailedEntry(120.0, "tests", ("TST-001", "TST-002"), ("TST-001", "TST-002"), 0, "it is about tests"),
        FailedEntry(
            120.0, "correctness", ("COR-002", "COR-003"), (FIRST.title, LAST.issue), 1, "the run ended: no budget"
        ),
    ]
    resumed = replace(SPEC, task=replace(TARGET, resumes="r-0"))
    assert not [
        entry for entry in build_last_entries(progress, resumed, 120.0, "x") if isinstance(entry, ReviewEntry)
    ], "the earlier run has told that already"


def numbered(*findings: ListedFinding) -> SavedReview:
    return SavedReview("NEEDS_WORK", tuple(NumberedFinding(finding, 7, 1) for finding in findings))


NEW = replace(MEAN, id="COR-009")
DELETED = replace(MEAN, id="COR-004")
"""A person deleted it from the progress file, so it is in no batch."""
LEFT = LeftOutFinding("correctness", "COR-005", "t", "its reviewer is not blocking")
SAID_FIRST = numbered(MEAN, FIRST, LAST, DELETED, replace(MEAN, id=LEFT.id))
FIXED_ONE = ReviewProgress(
    AgentRotation(("claude",)), "base", (NEEDS_WORK,), ListedWork((ONE, TWO), left_out=(LEFT,)),
    attempts=(FixAttempt(1, 1, succeeded=True, why=""),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "new"),
    [
        pytest.param((), (), id="nothing"),
        pytest.param((NEW,), ("COR-009",), id="another finding"),
        pytest.param((MEAN,), ("COR-001",), id="a fixed one is still there"),
        pytest.param((FIRST, LAST), (), id="what could not be fixed is no news"),
        pytest.param((DELETED,), (), id="what a person deleted is no news"),
    ],
)
def test_what_a_second_look_found(said: tuple[ListedFinding, ...], new: tuple[str, ...]) -> None:
    found = list_new(FIXED_ONE, SAID_FIRST, numbered(*said))
    assert tuple(saved.finding.id for saved in found) == new
    entry = build_second_entry(FIXED_ONE, COR, 60.0, SAID_FIRST, found)
    assert (entry.verdict, entry.reason) == ("NEEDS_WORK", SECOND_LOOK)
    assert tuple(finding.id for finding in entry.findings) == ("COR-002", "COR-003", LEFT.id, *new)


def test_a_second_look_passes_if_nothing_is_left() -> None:
    done = replace(FIXED_ONE, work=ListedWork((ONE,)))
    assert build_second_entry(done, COR, 60.0, numbered(MEAN), ()).verdict == "PASSED"


NEEDS = Review("needs_work", 40, "a bug")


@pytest.mark.parametrize(
    ("call", "saved", "why"),
    [
        (AgentCall(RateLimited("rate_limited")), None, "ann: rate_limited"),
        (AgentCall(Done(), report=NEEDS), SavedReview("PASSED", (), dropped=2), "2 of its findings name no line"),
        (AgentCall(Done(), report=NEEDS), SavedReview("PASSED", ()), "it says that the change needs work"),
        (AgentCall(Done(), report=replace(NEEDS, verdict="passed")), SavedReview("PASSED", ()), ""),
    ],
)
def test_what_keeps_a_second_look_from_being_an_answer(call: AgentCall, saved: SavedReview | None, why: str) -> None:
    assert explain_silence(call, saved, "ann").startswith(why)
    assert bool(explain_silence(call, saved, "ann")) == bool(why)
