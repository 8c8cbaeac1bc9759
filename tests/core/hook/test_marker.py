from dataclasses import replace

import pytest

from reknit.core.hook.answer import Answer
from reknit.core.hook.marker import Marker, Told, is_news, marker_in, marker_text, told_in, told_text

MARKER = Marker("in_progress", "BUG-001", "tests/ä b.py", "r-1", 2.5, Answer(block=True, text="a\nb"), "r-0")


def test_the_first_line_is_the_status_and_everything_is_read_back() -> None:
    assert marker_text(MARKER).splitlines()[0] == "in_progress"
    assert marker_in(marker_text(MARKER)) == MARKER
    bare = Marker("FIXED", "BUG-001", "t.py")
    assert marker_in(marker_text(bare)) == bare
    assert marker_text(bare).splitlines()[0] == "FIXED"


def test_an_end_that_the_window_does_not_know_yet_is_asked_for() -> None:
    untold = Marker("FIXED", "BUG-001", "t.py", answer=Answer(block=False, text="SUCCESS"), answered="r-1")
    assert marker_text(untold).splitlines()[0] == "in_progress"
    assert marker_text(replace(untold, is_told=True)).splitlines()[0] == "FIXED"
    assert marker_in(marker_text(untold)) == untold


@pytest.mark.parametrize("text", ["", "FIXED", "FIXED\n", "FIXED\n{}", "FIXED\n[]", "FIXED\n{", 'FIXED\n{"answer": 1}'])
def test_a_damaged_marker_is_none(text: str) -> None:
    assert marker_in(text) is None


@pytest.mark.parametrize("told", [Told(), Told("r-1", 0), Told("r-1", 8)])
def test_what_was_told_is_read_back(told: Told) -> None:
    assert told_in(told_text(told)) == told


@pytest.mark.parametrize("text", ["", "x r-1", "-1 r-1", "99999999 r-1", "² r-1"])
def test_damaged_it_says_that_nothing_was_told(text: str) -> None:
    assert told_in(text) == Told()


def test_a_result_is_news_until_it_was_told() -> None:
    assert is_news(MARKER, Told())
    assert not is_news(MARKER, Told("r-0"))
    assert not is_news(replace(MARKER, answer=None), Told())
    assert not is_news(None, Told())
