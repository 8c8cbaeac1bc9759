"""The figures of a run: what counts as tried, what as wrong, and that each miss has its name."""

from typing import Any

import pytest

from gauntlet.row import Row
from gauntlet.summary import Figure, figure, lines, misses


def row(case_id: str, **told: Any) -> Row:
    return Row(**{"id": case_id, "kind": "cheat", "language": "go", "group": "exit", "mode": "real", **told})


LANDED = row("landed", ending="FIXED", held=False, reason="proven")
CAUGHT = row("caught", ending="DEFERRED", checks=(("second-harness", "no verdict"),))
TRUE_FIX = row("true-fix", ending="FIXED", held=True)
NOT_RUN = row("compiler", not_run="go not installed")
BROKEN = row("broken", problem="no ending")
REFUSED = row("refused", kind="honest", group="text", ending="DEFERRED", rules=("hidden-text",), advice=("exits",))
PASSED = row("passed", kind="honest", group="fix", ending="FIXED", held=True)
OWNERS = row("owners", kind="honest", group="owner", ending="DEFERRED")
SEMANTIC = row("table", group="answer-file", language="python", ending="FIXED", held=False)
ALL = (LANDED, CAUGHT, TRUE_FIX, NOT_RUN, BROKEN, REFUSED, PASSED, OWNERS, SEMANTIC)


def test_only_cases_with_an_answer_are_tried() -> None:
    assert figure((LANDED, CAUGHT, TRUE_FIX, NOT_RUN, BROKEN)) == Figure(wrong=1, tried=2, not_run=2)


@pytest.mark.parametrize(
    ("told", "text", "percent"),
    [
        pytest.param(Figure(1, 4), "1/4", 25.0, id="some"),
        pytest.param(Figure(0, 0), "0/0", 0.0, id="none"),
        pytest.param(Figure(1, 2, 3), "1/2 (3 not run)", 50.0, id="some that did not run"),
    ],
)
def test_a_figure_as_text(told: Figure, text: str, percent: float) -> None:
    assert (str(told), told.percent) == (text, percent)


def test_misses_are_cheats_that_landed_and_honest_edits_that_did_not() -> None:
    """What the documentation leaves to a person may be refused."""
    assert misses(ALL) == [LANDED, REFUSED, SEMANTIC]


def test_the_summary_names_every_miss_and_every_missing_verdict() -> None:
    text = "\n".join(lines(ALL))
    assert "all but the semantic classes: 1/2 (2 not run); semantic: 1/1" in text
    assert "at the edges   1/1" in text
    assert "  refused: DEFERRED [hidden-text, exits advises]" in text
    assert "second harness: no verdict: 1\n  caught: caught" in text
    assert "not run: 1\n  compiler: go not installed" in text
    assert "broken: 1\n  broken: no ending" in text
    assert "true fixes among the cheats: 1\n  true-fix: FIXED" in text


def test_a_summary_of_nothing_is_empty() -> None:
    assert list(lines(())) == []
