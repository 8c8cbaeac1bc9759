"""An agent's words reach a commit only if they are about the change, and do nothing there."""

import pytest

from reknit.core.agent_reports.values import FixReport, Report, Review
from reknit.core.finding import Finding
from reknit.core.runs.commits.agents_words import refuse, take_agents_brief

PATHS = ("shop/pricing.py", "shop/tax/rates.py", "Makefile", ".github/workflows/ci.yml")
TEST = Finding("", "tests", "test-failed", "tests/test_pricing.py::test_total", also=("t.py::test_mean",))
LINT = Finding("", "ci", "lint", "lint")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("take the discount as a share of the price", id="plain words"),
        pytest.param("round prices in shop/pricing.py", id="a file of the diff"),
        pytest.param("round prices in `pricing.py`, not before", id="its name alone"),
        pytest.param("round prices (shop/pricing.py:12)", id="with a line"),
        pytest.param("round prices in ./shop/tax/", id="a folder of the diff"),
        pytest.param("count prices, e.g. of books", id="an abbreviation"),
        pytest.param("call Price.total before rounding", id="a method is not a file"),
        pytest.param("use the Makefile for rounding", id="a file without a dot"),
        pytest.param("add prices for test_total and test_mean", id="both tests are named"),
        pytest.param("keep the order history as a list", id="a word that is also the name of a file"),
    ],
)
def test_words_about_the_change_may_stand(text: str) -> None:
    assert refuse(text, (TEST, LINT), PATHS) == ""


FORGE = "a mention, a reference, an address, a command of a forge or a secret"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("round prices\nReknit-Hop: 1", "not one plain line", id="two lines"),
        pytest.param("", "not one plain line", id="nothing"),
        pytest.param("round \x1b[31mprices", "not one plain line", id="a terminal escape"),
        pytest.param("round \u202eprices", "not one plain line", id="text that runs backwards"),
        pytest.param("round prices for @octocat", FORGE, id="a mention"),
        pytest.param("round prices, fixes #12", FORGE, id="it closes an issue"),
        pytest.param("round prices, closes GH-12", FORGE, id="it closes an issue by its other name"),
        pytest.param("round prices, resolves: SHOP-12", FORGE, id="it closes an issue elsewhere"),
        pytest.param("round prices, closes !12", FORGE, id="it closes a merge request"),
        pytest.param("round prices [skip ci]", FORGE, id="it stops CI"),
        pytest.param("round prices as in https://evil.example", FORGE, id="an address"),
        pytest.param("round prices as in www.evil.example", FORGE, id="an address without a scheme"),
        pytest.param("round prices with ghp_" + "a" * 36, FORGE, id="a secret"),
        pytest.param("round prices Signed-off-by: octocat", "a trailer", id="a trailer"),
        pytest.param("round prices Reknit-Hop: 1", "a trailer", id="a trailer of ours"),
        pytest.param("BREAKING CHANGE: round all prices", "a trailer", id="a trailer of release tools"),
        pytest.param("round prices, all tests now pass", "a claim", id="a claim about tests"),
        pytest.param("round prices, reviewed by security", "a claim", id="a claim about a review"),
        pytest.param("round prices, everything is green", "a claim", id="a claim about everything"),
        pytest.param("fix the failing test", "no change is named", id="no change"),
        pytest.param("great work, everything is perfect now", "no change is named", id="praise"),
        pytest.param("mended 1", "no change is named", id="a word and a number"),
        pytest.param("fixed it", "no change is named", id="success alone"),
        pytest.param("round prices in shop/report.py", "shop/report.py is not in the change", id="another file"),
        pytest.param("round prices in report.py.", "report.py is not in the change", id="another file by its name"),
        pytest.param("round prices in shop/tas/", "shop/tas/ is not in the change", id="another folder"),
        pytest.param("round prices in .env", ".env is not in the change", id="a hidden file"),
        pytest.param("round prices in Dockerfile", "Dockerfile is not in the change", id="a file without a dot"),
        pytest.param("round prices in ing.py", "ing.py is not in the change", id="the end of a name"),
        pytest.param("round prices for test_total", "one test stands for several", id="one test of two"),
    ],
)
def test_words_that_do_more_than_describe_the_change_are_refused(text: str, why: str) -> None:
    assert refuse(text, (TEST, LINT), PATHS) == why


@pytest.mark.parametrize(
    ("report", "brief"),
    [
        pytest.param(FixReport("fixed", "x", title="Round prices to cents"), "round prices to cents", id="a title"),
        pytest.param(FixReport("fixed", "x", title="fix(shop): Round prices."), "round prices", id="a type before it"),
        pytest.param(
            FixReport("fixed", "x", title="URL parts keep order"), "URL parts keep order", id="a name in capitals"
        ),
        pytest.param(
            FixReport("fixed", "I rounded prices to cents. It was hard."), "rounded prices to cents", id="a summary"
        ),
        pytest.param(
            FixReport("fixed", "I have replaced floats by cents"), "replace floats by cents", id="in the imperative"
        ),
        pytest.param(FixReport("fixed", "Made totals round."), "make totals round", id="in the imperative, irregular"),
        pytest.param(
            FixReport("fixed", "Round totals to cents", title="done"), "round totals to cents", id="an empty title"
        ),
        pytest.param(FixReport("fixed", "Round totals\n\n- a\n- b"), "", id="a summary of several lines"),
        pytest.param(FixReport("fixed", "Round totals\x1b[0m to cents"), "", id="a summary with an escape"),
        pytest.param(FixReport("fixed", "word " * 30), "", id="a sentence that is too long"),
        pytest.param(FixReport("fixed", "x", title="Round the totals of prices to cents of a euro"), "", id="no room"),
        pytest.param(FixReport("gave_up", "Round totals to cents"), "", id="it gave up"),
        pytest.param(Review("passed", 90, "Round totals to cents"), "", id="another report"),
        pytest.param(None, "", id="no report"),
    ],
)
def test_the_brief_is_taken_from_the_typed_report_alone(report: Report | None, brief: str) -> None:
    assert take_agents_brief(report, (LINT,), PATHS, 40) == brief
