"""Pairs of issues and results."""

import pytest

from reknit.core.issues.identity.pairing import Drift, Pairing
from reknit.core.issues.identity.signs import Sign
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import KnownIssue, LocatedResult, ReportResult

OPEN: tuple[Status, ...] = ("OPEN",)


def known(number: int, line: int, own: str = "o", wide: str = "w", status: Status = "OPEN") -> KnownIssue:
    return KnownIssue(number, "p", "c", line, wide.encode(), own.encode(), b"", ("t",), status, str(number))


def result(line: int, own: str = "o", wide: str = "w") -> LocatedResult:
    return LocatedResult(ReportResult("t", "r", "p", line), "p", "c", wide.encode(), own.encode(), b"")


def own(one: KnownIssue | LocatedResult) -> bytes:
    return one.own


def wide(one: KnownIssue | LocatedResult) -> bytes:
    return one.wide


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
    assert (drift.expected(line), drift.otherwise(line)) == expected


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
    assert [(old.line, new.found.line) for old, new in pairing.take(sign, Drift([]))] == pairs
    assert [issue.line for issue in pairing.known] == [line for line in lines if line not in dict(pairs)]
    assert len(pairing.found) == len(found) - len(pairs)


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
