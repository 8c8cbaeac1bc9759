"""Which commits a forge is asked for, and when it is asked again."""

import pytest

from reknit.app.issues import merges
from reknit.app.issues.merges import PAUSES_S, MergeLookup, choose_commits, follow_merge
from reknit.core.forge.values import WebhookEvent

MANY = [f"c{number}" for number in range(9)]


def test_the_newest_are_asked_for_first_and_the_one_that_is_told_of_before_them() -> None:
    assert choose_commits(MANY[:4]) == ("c3", "c2", "c1", "c0")
    assert choose_commits(MANY[:4], "c1") == ("c1", "c3", "c2", "c0")
    assert choose_commits(MANY[:4], "other") == ("c3", "c2", "c1", "c0")


def test_of_too_many_each_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merges, "MAX_ASKED_COMMITS", 4)
    draws = [choose_commits(MANY, "c0") for _ in range(200)]
    assert {draw[:2] for draw in draws} == {("c0", "c8")}
    assert {len({*draw}) for draw in draws} == {4}
    assert {commit for draw in draws for commit in draw} == {*MANY}


LATE = MergeLookup(is_over=False)
LIMITED = MergeLookup(problem="limited: later", is_over=False)
ASKED_LATER = "acme/shop#7: could not look up its merges: limited: later; `reknit issues sync` retries"


@pytest.mark.parametrize(
    ("looks", "said", "waited"),
    [
        pytest.param([MergeLookup((3, 4))], ["merged: I-3, I-4"], [], id="at-once"),
        pytest.param([MergeLookup()], [], [], id="nothing-of-ours"),
        pytest.param([LATE, LIMITED, MergeLookup((3,))], ["merged: I-3"], [*PAUSES_S], id="at-the-third-look"),
        pytest.param(
            [MergeLookup((3,), is_over=False), MergeLookup((4,))],
            ["merged: I-3", "merged: I-4"],
            [PAUSES_S[0]],
            id="in-parts",
        ),
        pytest.param([LATE] * 3, [], [*PAUSES_S], id="never"),
        pytest.param([LIMITED] * 3, [ASKED_LATER], [*PAUSES_S], id="never-answered"),
        pytest.param([MergeLookup(problem="limited: later")], [ASKED_LATER], [], id="a-problem-that-does-not-pass"),
    ],
)
def test_it_is_looked_at_again_where_that_may_help(
    looks: list[MergeLookup], said: list[str], waited: list[float]
) -> None:
    left, heard, pauses = list(looks), list[str](), list[float]()

    follow_merge(WebhookEvent("d-1", "acme/shop", number=7), lambda _hint: left.pop(0), heard.append, pauses.append)

    assert (heard, pauses, left) == (said, waited, [])
