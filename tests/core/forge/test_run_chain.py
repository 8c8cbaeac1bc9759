"""Hops: runs in a row on a branch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.finding import Finding
from reknit.core.fix_tests.events import commit_message
from reknit.core.forge.run_chain import hop_of
from reknit.core.testing.report import WHOLE_SUITE

PERSON, DEV = "feat: add a cart", "Dev <dev@example.org>"


def stamped(hop: object, run: str = "r-7f3a0b1c") -> str:
    return f"fix: the cart (iteration 2)\n\nWhy.\n\nReknit-Run: {run}\nReknit-Hop: {hop}\n"


@pytest.mark.parametrize(
    ("messages", "hop"),
    [
        pytest.param([], 1, id="a branch without commits of its own"),
        pytest.param([PERSON], 1, id="a person's commit"),
        pytest.param([stamped(1)], 2, id="after a first run"),
        pytest.param([stamped(1), stamped(1), PERSON], 2, id="a run with two commits"),
        pytest.param([stamped(1), stamped(2), PERSON, stamped(7)], 3, id="the highest down to a person's"),
        pytest.param([PERSON, stamped(7)], 1, id="a person came after the run"),
        pytest.param(
            [stamped(1), "Merge branch 'main'\n", stamped(7)], 2, id="a merge without a trailer is a person's"
        ),
        pytest.param([stamped("many")], 2, id="a stamp that cannot be read"),
        pytest.param([stamped("-3")], 2, id="a stamp below one"),
        pytest.param([stamped("9999999999")], 2, id="a stamp beyond all reason"),
        pytest.param([stamped("٣")], 2, id="digits of another script"),
        pytest.param([stamped(3).replace("\n", "\r\n")], 4, id="lines that end as on Windows"),
        pytest.param([stamped(2) + "Reknit-Hop: 5\n"], 6, id="two stamps"),
        pytest.param([stamped(2) + "Co-authored-by: A <a@b.c>\n"], 3, id="further trailers"),
        pytest.param([stamped(2) + "\nand then some prose"], 1, id="trailers that are not at the end"),
        pytest.param([stamped(2) + "and then some prose"], 1, id="prose among the trailers"),
        pytest.param(["Reknit-Run: r-7f3a0b1c\nReknit-Hop: 4"], 1, id="a subject is no trailer"),
        pytest.param([stamped(2, run="")], 1, id="a run without a name"),
        pytest.param([stamped(2, run="see r-7f3a0b1c")], 1, id="a run that is only spoken of"),
        pytest.param(["fix: x\n\nReknit-Hop: 4"], 1, id="a hop without a run"),
        pytest.param([""], 1, id="no message at all"),
    ],
)
def test_a_hop_is_one_more_than_the_runs_since_a_person(messages: list[str], hop: int) -> None:
    assert hop_of([(f"c{number}", message, DEV) for number, message in enumerate(messages)]) == hop


@pytest.mark.parametrize(
    "bot", ["tidy[bot] <1+tidy[bot]@users.noreply.github.com>", "Tidy <1+tidy[bot]@users.noreply.x>"]
)
def test_what_another_bot_pushed_does_not_start_the_count_anew(bot: str) -> None:
    assert hop_of([("b", "style: tidy up", bot), ("r", stamped(2), DEV), ("p", PERSON, DEV)]) == 3


def test_what_we_write_into_a_commit_is_read_back() -> None:
    finding = Finding("T-1", "tests", "test-failed", WHOLE_SUITE)
    assert hop_of([("c", commit_message(finding, 1, "r-7f3a0b1c", ["a: b"]), DEV)]) == 2


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6), st.lists(st.text(max_size=60), max_size=3))
def test_every_further_run_is_a_further_hop(hops: list[int], older: list[str]) -> None:
    newest = [("c", stamped(hop), DEV) for hop in hops]
    first = hop_of([*newest, ("p", PERSON, DEV), *(("o", text, DEV) for text in older)])
    assert first == max(hops) + 1
    assert hop_of([("n", stamped(first), DEV), *newest, ("p", PERSON, DEV)]) == first + 1
