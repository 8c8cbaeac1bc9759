"""The title of a finding, also of one whose reviewer gave none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.agent_reports.values import MAX_TITLE_CHARS, ReportedFinding, to_title

LONG = "the total of every order is computed again for each line of the invoice, which is slow"


@pytest.mark.parametrize(
    ("issue", "title"),
    [
        pytest.param("The lock is never released. It leaks.", "The lock is never released", id="the first sentence"),
        pytest.param("Is it closed? No.", "Is it closed?", id="other marks stay"),
        pytest.param("Some values, e.g. zero, divide.", "Some values, e.g. zero, divide", id="an abbreviation"),
        pytest.param("a.b.c is None", "a.b.c is None", id="no end"),
        pytest.param("wraps\nhere\n\nand more", "wraps here", id="a paragraph ends it, a line does not"),
        pytest.param(LONG, "the total of every order is computed again for each line of the…", id="at a word"),
        pytest.param("x" * 100, "x" * 71 + "…", id="one long word"),
        pytest.param("\x1b[31mred\x1b[0m", "red", id="nothing hidden"),
    ],
)
def test_without_a_title_the_first_sentence_is_taken(issue: str, title: str) -> None:
    assert to_title(ReportedFinding("bug", "warning", "a.py", 1, issue)) == title


def test_a_title_that_was_given_stays() -> None:
    assert to_title(ReportedFinding("bug", "warning", "a.py", 1, "Long. Story.", title="short")) == "short"


@given(st.text(min_size=1))
def test_it_is_one_line_that_fits(issue: str) -> None:
    title = to_title(ReportedFinding("bug", "warning", "a.py", 1, issue))
    assert len(title) <= MAX_TITLE_CHARS
    assert "\n" not in title
