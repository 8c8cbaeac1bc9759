"""The second agent's cases: for every base, in other files and with other inputs than its failing test."""

import json

import pytest

from gauntlet import second_agent
from gauntlet.case import LANGUAGES
from gauntlet.corpus import cases, files_of
from reknit.adapters.agents.scripted.agent import choose_move, parse_report, read_story
from reknit.core.agent_reports.tools import MAX_CASES
from reknit.core.agent_reports.values import CaseProposal, HeldOutCase

PROMPT = "The failing test: {}\nFile: x\n"
FAILING = {
    "python": "tests/test_price.py::test_discount",
    "javascript": "test/price.test.js::discount",
    "typescript": "src/price.test.ts::price > discount",
    "go": ".::TestDiscount",
    "rust": "src/lib.rs::tests::discount_is_a_percentage",
    "java": "shop.PriceTest::discount",
}


def answered(language: str, failing: str) -> tuple[HeldOutCase, ...]:
    move = choose_move(read_story(json.dumps(second_agent.story(language))), 1, PROMPT.format(failing))
    report = parse_report(move)
    assert isinstance(report, CaseProposal)
    return report.cases


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_has_cases_of_the_bug_in_every_language(language: str) -> None:
    given = answered(language, FAILING[language])
    assert 3 <= len(given) <= MAX_CASES
    assert len({case.path for case in given}) == len({case.test for case in given}) == len(given)
    assert [case for case in given if "$" in case.text + case.test + case.path or "200, 10" in case.text] == []
    files = {path for case in cases() if case.language == language for path in files_of(case)}
    assert {case.path for case in given}.isdisjoint(files)


def test_every_word_of_a_case_is_filled_in() -> None:
    first = answered("go", ".::TestDiscount")[0]
    assert (first.test, first.path) == (".::TestTenth", "tenth_test.go")
    assert "if got := Discount(300, 10); got != 270 {" in first.text
    assert first.about.startswith("another price")


def test_it_knows_nothing_of_another_failing_test() -> None:
    assert answered("python", "tests/test_price.py::test_discount_small") == ()
    assert len(answered("python", "tests/test_price.py::test_parse_bad")) == 3
