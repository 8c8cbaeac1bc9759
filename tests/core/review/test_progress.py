"""What a review counts: who was heard, what was tried, and which commit has every fix."""

from dataclasses import replace
from typing import Any

import pytest

from reknit.core.review.progress import (
    NOT_BLOCKING,
    ONLY_BY_WAIVER,
    UNAVAILABLE,
    FindingBatch,
    FixAttempt,
    KnownFinding,
    LeftOutFinding,
    ListedWork,
    Recheck,
    ReviewerAnswer,
    ReviewProgress,
    SecondLook,
    list_work,
)
from reknit.core.review.progress_file.entries import (
    Entry,
    EntryVerdict,
    FailedEntry,
    FixEntry,
    ListedFinding,
    ReviewEntry,
)
from reknit.core.runs.agent_rotation import AgentRotation
from tests.tools.review_samples import FIRST, LAST, MEAN, NEEDS_WORK, ONE, PASSED, TWO

START = ReviewProgress(AgentRotation(("claude", "codex"), resting=(("claude", None),)), "base")


def test_answers_are_kept_in_order_and_counted() -> None:
    heard = START.with_answers([NEEDS_WORK], 2.0, 0.5).with_answers([PASSED], 3.0, 0.4)
    assert (heard.answers, heard.worked_s, heard.spent_usd, heard.head) == ((NEEDS_WORK, PASSED), 5.0, 0.5, "base")
    assert heard.rotation == START.rotation


def test_only_a_kept_fix_moves_the_head() -> None:
    refused = START.with_attempt(FixAttempt(1, 2, succeeded=False, why="red"), "bad", 2.0, 0.5)
    assert (refused.head, refused.fixed, refused.worked_s, refused.rotation.resting) == ("base", frozenset(), 2.0, ())
    kept = refused.with_attempt(FixAttempt(2, 2, succeeded=True, why=""), "new", 1.0, 0.7)
    assert (kept.head, kept.fixed, kept.worked_s, kept.spent_usd) == ("new", frozenset({2}), 3.0, 0.7)
    assert [tried.number for tried in kept.find_attempts(2)] == [1, 2]
    assert kept.find_attempts(1) == ()


def test_a_batch_is_named_by_its_findings() -> None:
    assert (ONE.ids, ONE.name) == (("COR-001",), "COR-001")
    assert TWO.name == "COR-002, COR-003"


KNOWN = {"COR-001": KnownFinding(7, 2, is_open=True), "COR-002": KnownFinding(8, 4, is_open=True)}
MINE = ListedFinding("mine", "logic", "Added by hand", "shop.py", 1, "A person wrote this.")


def entry(*findings: ListedFinding, verdict: EntryVerdict = "NEEDS_WORK", reviewer: str = "correctness") -> ReviewEntry:
    return ReviewEntry(60.0, reviewer, "blocking", verdict, findings)


def work(
    *entries: Entry, heard: tuple[ReviewerAnswer, ...] = (NEEDS_WORK,), known: dict[str, KnownFinding] = KNOWN,
    strict: bool = False,
) -> ListedWork:  # fmt: skip
    return list_work(entries, heard, known, strict=strict)


@pytest.mark.parametrize(
    ("entries", "heard", "ids"),
    [
        pytest.param([], NEEDS_WORK, [], id="nothing"),
        pytest.param([entry(MEAN, FIRST)], NEEDS_WORK, ["COR-001", "COR-002"], id="what the reviewer found"),
        pytest.param([entry(MEAN, FIRST), entry(FIRST)], NEEDS_WORK, ["COR-002"], id="of the newest entry only"),
        pytest.param(
            [entry(MEAN), entry(verdict="NO_ANSWER")], NEEDS_WORK, ["COR-001"], id="also if a later one gave no answer"
        ),
        pytest.param([entry(FIRST)], NEEDS_WORK, ["COR-002"], id="not what a person deleted"),
        pytest.param([entry(MEAN, MINE)], NEEDS_WORK, ["COR-001", "mine"], id="and what a person added"),
        pytest.param([entry(MEAN, reviewer="security")], NEEDS_WORK, [], id="nothing of others"),
        pytest.param(
            [entry(MEAN, verdict="PASSED")], NEEDS_WORK, ["COR-001"], id="a PASSED that was typed takes no finding away"
        ),
        pytest.param(
            [entry(MEAN), FixEntry(61.0, "correctness", ("COR-001",), ("x",), ("shop.py",), 1)],
            NEEDS_WORK, ["COR-001"], id="nor does a fix that was typed",
        ),
        pytest.param(
            [entry(MEAN), FailedEntry(61.0, "correctness", ("COR-001",), ("x",), 3, "red")],
            NEEDS_WORK, ["COR-001"], id="nor one that failed",
        ),
        pytest.param(
            [entry(MEAN, MINE, verdict="PASSED")], replace(NEEDS_WORK, verdict="PASSED"), ["mine"],
            id="of a reviewer that passed only what a person added",
        ),
        pytest.param(
            [entry(MEAN)], replace(NEEDS_WORK, verdict="PASSED"), ["COR-001"], id="or all, if a person says NEEDS_WORK"
        ),
    ],
)  # fmt: skip
def test_what_is_fixed(entries: list[Entry], heard: ReviewerAnswer, ids: list[str]) -> None:
    found = work(*entries, heard=(heard,))
    assert sorted(name for batch in found.batches for name in batch.ids) == ids


def test_a_reworded_finding_is_fixed_as_it_reads_now() -> None:
    reworded = replace(MEAN, issue="Raise a ValueError instead.")
    assert work(entry(reworded)).batches == (FindingBatch(1, "correctness", (reworded,), (7,)),)


def test_other_levels_are_counted_and_fixed_only_if_asked() -> None:
    warned = replace(NEEDS_WORK, reviewer="tests", level="warning")
    entries = (entry(MEAN), entry(FIRST, LAST, reviewer="tests"))
    assert [batch.ids for batch in work(*entries, heard=(NEEDS_WORK, warned)).batches] == [("COR-001",)]
    left = work(*entries, heard=(NEEDS_WORK, warned))
    assert left.not_fixed == 2
    assert [(finding.id, finding.title, finding.why) for finding in left.left_out] == [
        ("COR-002", FIRST.title, NOT_BLOCKING), ("COR-003", LAST.issue, NOT_BLOCKING),
    ]  # fmt: skip
    strict = work(*entries, heard=(NEEDS_WORK, warned), strict=True)
    assert ([batch.reviewer for batch in strict.batches], strict.not_fixed) == (["correctness", "tests"], 0)


@pytest.mark.parametrize("file", ["pyproject.toml", ".github/workflows/ci.yml"])
def test_what_no_fix_may_change_is_told_apart(file: str) -> None:
    assert work(entry(replace(MEAN, file=file))) == ListedWork(
        only_by_waiver=("COR-001",), left_out=(LeftOutFinding("correctness", "COR-001", MEAN.title, ONLY_BY_WAIVER),)
    )


def test_what_another_run_has_is_not_taken() -> None:
    taken = {"COR-001": KnownFinding(7, 2, is_open=False)}
    assert work(entry(MEAN), known=taken) == ListedWork(
        unavailable=("COR-001",), left_out=(LeftOutFinding("correctness", "COR-001", MEAN.title, UNAVAILABLE),)
    )


def test_what_an_unmerged_fix_resolved_is_no_failed_fix() -> None:
    fixed = {"COR-001": KnownFinding(7, 2, is_open=False, is_resolved=True)}
    assert work(entry(MEAN), known=fixed) == ListedWork(unavailable=("COR-001",))


def findings(count: int, **fields: Any) -> list[ListedFinding]:
    return [replace(MEAN, id=f"COR-{number:03}", **fields) for number in range(1, count + 1)]


@pytest.mark.parametrize(
    ("found", "points", "sizes"),
    [
        pytest.param(findings(1), 2, [1], id="one alone"),
        pytest.param(findings(11), 1, [5, 5, 1], id="at most five"),
        pytest.param(findings(4), 5, [3, 1], id="at most fifteen points"),
        pytest.param(findings(2), 20, [1, 1], id="a large one alone"),
        pytest.param(findings(6), None, [5, 1], id="one of which nothing is known counts three"),
        pytest.param([*findings(1), *findings(1, file="b.py")], 1, [1, 1], id="one file each"),
        pytest.param([*findings(1), *findings(1, category="style")], 1, [1, 1], id="one category each"),
    ],
)
def test_batches(found: list[ListedFinding], points: int | None, sizes: list[int]) -> None:
    known = {each.id: KnownFinding(7, points, is_open=True) for each in found} if points else {}
    made = work(entry(*found), known=known).batches
    assert [len(batch.findings) for batch in made] == sizes
    assert [batch.number for batch in made] == [*range(1, len(sizes) + 1)]


def test_a_finding_without_an_issue_is_work_too() -> None:
    assert work(entry(MEAN, MINE), heard=(NEEDS_WORK, PASSED)).batches == (
        FindingBatch(1, "correctness", (MEAN, MINE), (7,)),
    )


def test_the_words_of_a_batch() -> None:
    assert TWO.texts == (FIRST.title, FIRST.issue, FIRST.suggestion, LAST.title, LAST.issue, LAST.suggestion)


@pytest.mark.parametrize(
    ("reviewer", "file", "is_about_tests"),
    [
        ("correctness", "shop.py", False),
        ("correctness", "tests/test_shop.py", True),
        ("correctness", "tests/data/a.txt", True),
        ("tests", "shop.py", True),
    ],
)
def test_findings_about_tests(reviewer: str, file: str, *, is_about_tests: bool) -> None:
    assert FindingBatch(1, reviewer, (replace(MEAN, file=file),)).is_about_tests == is_about_tests


def test_calls_of_reviewers_are_counted() -> None:
    rechecked = START.with_recheck(Recheck(2, is_gone=True), 3.0, 0.2)
    looks = (SecondLook("correctness", spent_usd=0.5), SecondLook("tests", spent_usd=0.4))
    looked = rechecked.with_second_looks(looks, 4.0)
    assert (looked.rechecks, looked.second_looks) == (rechecked.rechecks, looks)
    assert (looked.worked_s, looked.spent_usd) == (START.worked_s + 7.0, 0.5)
