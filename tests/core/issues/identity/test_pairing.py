"""Pairs of issues and results."""

import pytest

from reknit.core.issues.identity.fingerprint import NormalizedFile, locate_result
from reknit.core.issues.identity.pairing import ANOTHER_TOOL, LIVE, SAME_TOOL, Drift, Pairing, Sign
from reknit.core.issues.lifecycle import STATUSES, Status
from reknit.core.issues.model import KnownIssue, LocatedResult, ReportResult
from tests.tools.issue_keeper import issue

OPEN: tuple[Status, ...] = ("OPEN",)


def known(number: int, line: int, own: str = "o", wide: str = "w", status: Status = "OPEN") -> KnownIssue:
    return KnownIssue(number, "p", "c", line, wide.encode(), own.encode(), b"", ("t",), status, str(number))


def result(line: int, own: str = "o", wide: str = "w") -> LocatedResult:
    return LocatedResult(ReportResult("t", "r", "p", line), "p", "c", wide.encode(), own.encode(), b"")


def own(one: KnownIssue | LocatedResult) -> bytes:
    return one.line_digest


def wide(one: KnownIssue | LocatedResult) -> bytes:
    return one.context_digests


@pytest.mark.parametrize(
    ("moved", "line", "expected"),
    [
        pytest.param([], 5, (5, 5), id="nothing-is-known"),
        pytest.param([(10, 12)], 0, (0, 0), id="the-whole-file"),
        pytest.param([(10, 12)], 3, (5, 5), id="before-the-first"),
        pytest.param([(10, 12)], 30, (32, 32), id="after-the-last"),
        pytest.param([(10, 10), (20, 25)], 12, (12, 17), id="nearer-to-the-one-above"),
        pytest.param([(10, 10), (20, 25)], 19, (24, 19), id="nearer-to-the-one-below"),
    ],
)
def test_where_a_line_is_expected(moved: list[tuple[int, int]], line: int, expected: tuple[int, int]) -> None:
    drift = Drift((known(old, old), result(new)) for old, new in moved)
    assert (drift.expect_line(line), drift.expect_line_otherwise(line)) == expected


@pytest.mark.parametrize(
    ("sign", "lines", "found", "pairs"),
    [
        pytest.param(Sign(own, lone=OPEN), [1], [90], [(1, 90)], id="alone-anywhere"),
        pytest.param(Sign(own, lone=OPEN), [1, 2], [90], [], id="not-alone"),
        pytest.param(Sign(own, near=OPEN), [10, 20], [11, 22], [(10, 11), (20, 22)], id="near"),
        pytest.param(Sign(own, near=OPEN), [10, 20], [14, 99], [], id="too-far"),
        pytest.param(Sign(own, near=OPEN), [10, 13], [12], [(13, 12)], id="the-nearest"),
        pytest.param(Sign(own, near=OPEN, reach=0), [10, 20], [11, 20], [(20, 20)], id="only-there"),
        pytest.param(Sign(own, far=OPEN), [1, 2, 3], [50, 60], [(1, 50), (2, 60)], id="anywhere-in-order"),
        pytest.param(Sign(own), [1], [1], [], id="not-at-all"),
    ],
)
def test_signs(sign: Sign, lines: list[int], found: list[int], pairs: list[tuple[int, int]]) -> None:
    pairing = Pairing([known(line, line) for line in lines], map(result, found))
    assert [(old.line, new.result.line) for old, new in pairing.take(sign, Drift([]))] == pairs
    assert [issue.line for issue in pairing.issues] == [line for line in lines if line not in dict(pairs)]
    assert len(pairing.results) == len(found) - len(pairs)


@pytest.mark.parametrize("sign", [Sign(own, lone=OPEN), Sign(own, near=OPEN), Sign(own, far=OPEN)])
def test_other_statuses_are_left_alone(sign: Sign) -> None:
    assert Pairing([known(1, 1, status="IGNORED")], [result(1)]).take(sign, Drift([])) == []


def test_a_pair_that_another_look_disputes_does_not_count() -> None:
    sign = Sign(own, lone=OPEN, against=wide)
    disputed = Pairing([known(1, 1, "a", "x"), known(2, 2, "b", "y")], [result(1, "a", "y")])
    assert disputed.take(sign, Drift([])) == []
    agreed = Pairing([known(1, 1, "a", "x")], [result(1, "a", "z")])
    assert len(agreed.take(sign, Drift([]))) == 1


def test_nothing_is_made_of_nothing() -> None:
    assert Pairing([], [result(1)]).take(Sign(own, far=OPEN), Drift([])) == []


SHOWN = locate_result(
    ReportResult("ruff", "E722", "-", 3, 1, "words"), "a.py", NormalizedFile(b"try:\n    one()\nexcept:\n    two()\n")
)


def test_what_is_closed_is_never_recognised_by_words_or_place_alone() -> None:
    """Another text, the same words: no sign that holds for a closed issue is the same."""
    same = issue(SHOWN, 1, ("ruff",), "IGNORED", "f")
    other = locate_result(SHOWN.result, "a.py", NormalizedFile(b"try:\n    three()\nexcept E:\n    four()\n"))
    for sign in (*SAME_TOOL, *ANOTHER_TOOL):
        beyond = {*sign.lone, *sign.near, *sign.far} - set(LIVE)
        assert not beyond or beyond == set(STATUSES) - set(LIVE)
        assert not beyond or sign.look(same) != sign.look(other)


def test_every_sign_holds_for_something() -> None:
    assert all(sign.lone or sign.near or sign.far for sign in (*SAME_TOOL, *ANOTHER_TOOL))
    assert all(sign.lone for sign in SAME_TOOL if sign.against)
