"""Prompts: rendered from fixed facts and compared as text with the files in tests/golden."""

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from reknit.app.prompts import render
from reknit.core.findings import Finding
from reknit.core.strategy import ESCALATION

GOLDEN = Path(__file__).parent.parent / "golden"
FINDING = Finding(
    "T-1", "tests", "test-failed", "tests/test_a.py::test_x", "tests/test_a.py", message="AssertionError: 190 != 180"
)
FACTS = {"finding": FINDING, "command": "pytest -q", "feedback": "", "attempt": 1, "attempts": 3}


@pytest.mark.parametrize("strategy", ESCALATION)
@pytest.mark.parametrize(
    ("name", "facts"),
    [
        pytest.param("first", FACTS, id="the first attempt"),
        pytest.param(
            "again",
            {
                **FACTS,
                "finding": Finding("T-1", "tests", "r", "the suite"),
                "feedback": "It was refused.",
                "attempt": 2,
            },
            id="a later attempt, on a test without a file",
        ),
    ],
)
def test_a_prompt_reads_as_its_golden_file(strategy: str, name: str, facts: dict[str, object]) -> None:
    golden = GOLDEN / f"fix_tests.{strategy}.{name}.md"
    assert render(f"fix_tests.{strategy}", facts) == golden.read_text()


@pytest.mark.parametrize(
    ("attempt", "is_last"),
    [pytest.param(3, True, id="the last of three"), pytest.param(2, False, id="one before the last")],
)
def test_only_the_last_attempt_is_told_so(attempt: int, *, is_last: bool) -> None:
    assert ("the last." in render("fix_tests.deep", {**FACTS, "attempt": attempt})) is is_last


def test_a_fact_that_nobody_gave_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="attempts"):
        render("fix_tests.local", {key: value for key, value in FACTS.items() if key != "attempts"})


def test_the_words_of_a_test_are_not_taken_for_a_template() -> None:
    hostile = Finding("T-1", "tests", "r", "t", message="{{ 7 * 7 }} {% include 'x' %} <b>&amp;")
    assert "{{ 7 * 7 }} {% include 'x' %} <b>&amp;" in render("fix_tests.local", {**FACTS, "finding": hostile})
