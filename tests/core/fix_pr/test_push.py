"""A forge that does not let a run continue: what is waited for, and what ends the run."""

from dataclasses import replace

import pytest

from reknit.core.finding import Finding
from reknit.core.fix_pr.push import (
    LARGEST_LINES,
    find_answered_reviews,
    find_answered_threads,
    find_blocked_ending,
    find_failure_ending,
)
from reknit.core.forge.permission import FixBlocked, PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.repository.change import Change, FileChange
from reknit.core.runs.ending import LOGIN, Ending
from reknit.core.runs.limits import Limits
from tests.tools.pull_samples import LINT, RACE, THREAD

COMMITS = ("c" * 40,)


@pytest.mark.parametrize(
    ("barred", "expected"),
    [
        pytest.param(None, None, id="nothing stands in the way"),
        pytest.param(FixBlocked("no-push", "you may not push", read_only=True), None, id="it can still be looked at"),
        pytest.param(
            FixBlocked("closed", "it is closed"), Ending("BLOCKED", "it is closed", "closed", COMMITS), id="it cannot"
        ),
    ],
)
def test_a_pull_request_that_cannot_be_looked_at(barred: FixBlocked | None, expected: Ending | None) -> None:
    assert find_blocked_ending(PullSnapshot("a" * 40, "b" * 40, 0, barred), COMMITS) == expected


@pytest.mark.parametrize(
    ("failure", "waits", "expected"),
    [
        pytest.param(ForgeFailure("limited", "429"), 1, None, id="a limit is waited for"),
        pytest.param(ForgeFailure("unreachable", "502"), 1, None, id="so is a forge that is away"),
        pytest.param(
            ForgeFailure("unreachable", "502"),
            2,
            Ending("UNVERIFIED", "the forge did not answer 2 times in a row: 502", "forge", COMMITS),
            id="but not forever",
        ),
        pytest.param(
            ForgeFailure("login", "401"),
            0,
            Ending("BLOCKED", "the forge rejected the login: 401", LOGIN, COMMITS),
            id="a login is a person's",
        ),
        pytest.param(
            ForgeFailure("forbidden", "403"),
            0,
            Ending("BLOCKED", "the forge refused: 403", "forbidden", COMMITS),
            id="so is a permission",
        ),
        pytest.param(
            ForgeFailure("missing", "404"),
            0,
            Ending("BLOCKED", "the forge refused: 404", "missing", COMMITS),
            id="and what is gone",
        ),
    ],
)
def test_a_forge_that_does_not_answer(failure: ForgeFailure, waits: int, expected: Ending | None) -> None:
    assert find_failure_ending(failure, waits, Limits(waits=2), COMMITS) == expected


BEFORE = "one\ntwo\nthree\nfour\n"


def changed(after: str | None, before: str = BEFORE, path: str = "api.py") -> Change:
    return Change((FileChange(path, before.encode(), None if after is None else after.encode()),))


def at(line: int) -> Finding:
    return replace(THREAD, line=line)


@pytest.mark.parametrize(
    ("after", "lines"),
    [
        pytest.param("one\nTWO\nthree\nfour\n", {2}, id="a line that is another now"),
        pytest.param("one\nthree\nfour\n", {2}, id="a line that is gone"),
        pytest.param("one\nTWO\nTHREE\nfour\n", {2, 3}, id="two lines in a row"),
        pytest.param("one\nnew\ntwo\nthree\nfour\n", {2}, id="something put before it"),
        pytest.param("new\none\ntwo\nthree\nfour\n", {1}, id="something put before the first"),
        pytest.param("ONE\ntwo\nthree\nFOUR\n", {1, 4}, id="not what lies between two changes"),
        pytest.param("one\nthree\nfour\ntwo\n", {2}, id="a line that moved"),
        pytest.param(BEFORE + "five\n", set(), id="something put after the last"),
        pytest.param(BEFORE, set(), id="nothing but the mode"),
        pytest.param(None, {1, 2, 3, 4}, id="the file is gone"),
    ],
)
def test_a_thread_is_answered_when_its_line_changed(after: str | None, lines: set[int]) -> None:
    found = find_answered_threads([at(line) for line in range(1, 5)], changed(after))
    assert {finding.line for finding in found} == lines


@pytest.mark.parametrize(
    "finding",
    [
        pytest.param(replace(THREAD, line=2, file="other.py"), id="of another file"),
        pytest.param(replace(THREAD, line=0), id="without a line"),
        pytest.param(replace(THREAD, line=2, rule="review"), id="no thread but a review"),
        pytest.param(replace(RACE, line=2, file="api.py"), id="of our own reviewer, so nobody awaits an answer"),
        pytest.param(replace(THREAD, line=2, remark=""), id="without an id on the forge"),
    ],
)
def test_others_stay_open(finding: Finding) -> None:
    everything = changed("ONE\nTWO\nTHREE\nFOUR\n")
    assert find_answered_threads([finding], everything) == ()
    assert find_answered_threads([at(2)], everything) == (at(2),)


@pytest.mark.parametrize(("lines", "answered"), [(LARGEST_LINES - 1, True), (LARGEST_LINES, False)])
def test_in_a_huge_file_a_person_looks(lines: int, *, answered: bool) -> None:
    before = "x\n" * lines
    assert bool(find_answered_threads([at(1)], changed(f"y\n{before[2:]}", before))) is answered


def test_a_review_is_answered_by_the_fix_that_was_asked_to() -> None:
    asked = replace(RACE, rule="review", remark="review-1", author="octocat")
    assert find_answered_reviews([asked, THREAD, RACE, replace(asked, remark="")]) == ("review-1",)
    assert find_answered_reviews([asked, LINT]) == (), "the commit may be about the other part alone"
