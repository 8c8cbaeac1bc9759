"""The period of the figures, and the numbers that are made from them."""

import pytest

from reknit.core.errors import UsageError
from reknit.core.stats.figures import AgentFigures, EndingFigures, Figures, build_stats_document, parse_period

MONTH = parse_period("30d")


@pytest.mark.parametrize(
    ("text", "seconds", "words"),
    [
        pytest.param("12h", 12 * 3600, "the last 12 hours", id="hours"),
        pytest.param("1d", 86_400, "the last day", id="one day"),
        pytest.param("30d", 30 * 86_400, "the last 30 days", id="days"),
        pytest.param("4w", 28 * 86_400, "the last 4 weeks", id="weeks"),
    ],
)
def test_a_period_has_a_length_and_a_name(text: str, seconds: int, words: str) -> None:
    period = parse_period(text)
    assert (period.seconds, period.text) == (seconds, words)


@pytest.mark.parametrize("text", ["", "d", "0d", "3x", "-1d", "1.5d", "10000d", "٣d"])
def test_what_is_no_period_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no period"):
        parse_period(text)


def test_an_accepted_fix_costs_all_that_was_spent() -> None:
    endings = (EndingFigures("FIXED", 2, 0.5, 0.25, 60.0), EndingFigures("DEFERRED", 1, 1.0, 0.0, 30.0))
    figures = Figures("/shop", MONTH, endings, (AgentFigures("claude", 5, 3, 1.2, 100, 20.0),))
    assert (figures.runs, figures.spent_usd, figures.reserved_usd, figures.landed) == (3, 1.5, 0.25, 3)
    assert figures.usd_per_fix == 0.5
    document = build_stats_document(figures, now=MONTH.seconds + 7.0)
    assert (document["since"], document["until"], document["tokens"], document["seconds"]) == (
        7.0,
        2592007.0,
        100,
        90.0,
    )
    assert (document["usd_per_accepted_fix"], document["accepted_fixes"], document["reserved_usd"]) == (0.5, 3, 0.25)


def test_without_an_accepted_fix_none_has_a_price() -> None:
    assert Figures("/shop", MONTH).usd_per_fix is None
    document = build_stats_document(Figures("", MONTH), 0.0)
    assert (document["usd_per_accepted_fix"], document["repository"]) == (None, None)
