"""What criteria do to an ending."""

import pytest

from reknit.core.capability import StoredRun
from reknit.core.checks.criteria import (
    SAVED,
    CheckedCriterion,
    criteria_document,
    criteria_lines,
    criteria_of,
    criterion_event,
    not_written,
    out_of_time,
    with_criteria,
)
from reknit.core.fix_issues.capability import FIX_ISSUES
from reknit.core.planning.criterion_facts import CriterionState
from reknit.core.planning.targets import VariantTarget
from reknit.core.runs.ending import Ending, EndingWord
from tests.core.test_run_text import RUN


def checked(*states: CriterionState) -> list[CheckedCriterion]:
    return [CheckedCriterion("a", state, "seen") for state in states]


@pytest.mark.parametrize(
    ("word", "states", "left_out", "expected", "reason"),
    [
        pytest.param("FIXED", ["passed"], [], "FIXED", "x; 1 of 1 criteria passed", id="all-passed"),
        pytest.param("CLEAN", ["passed"], [], "CLEAN", "x; 1 of 1 criteria passed", id="review"),
        pytest.param(
            "FIXED", ["passed", "failed"], [], "PARTIAL", "x; 1 of 2 criteria passed, 1 failed", id="one-failed"
        ),
        pytest.param("FIXED", ["unverified"], [], "UNVERIFIED", "x; 0 of 1 criteria passed, 1 unverified", id="unseen"),
        pytest.param(
            "CLEAN", ["unverified", "failed"], [], "PARTIAL", "x; 0 of 2 criteria passed, 1 failed, 1 unverified",
            id="failed-is-worse-than-unseen",
        ),
        pytest.param(
            "FIXED", ["passed"], ["“b” names no file"], "PARTIAL",
            "x; 1 of 1 criteria passed; passed over: “b” names no file", id="a-task-was-passed-over",
        ),
        pytest.param("DEFERRED", ["unverified"], [], "DEFERRED", "x; 0 of 1 criteria passed, 1 unverified", id="worse"),
        pytest.param("UNVERIFIED", ["failed"], [], "UNVERIFIED", "x; 0 of 1 criteria passed, 1 failed", id="own"),
        pytest.param("FIXED", [], [], "UNVERIFIED", "x; 0 of 0 criteria passed", id="nothing-to-tell-it-by"),
    ],
)  # fmt: skip
def test_endings(
    word: EndingWord, states: list[CriterionState], left_out: list[str], expected: str, reason: str
) -> None:
    ending = with_criteria(Ending(word, "x", "", ("I-1",)), checked(*states), left_out)
    assert (ending.word, ending.reason, ending.fixed) == (expected, reason, ("I-1",))


def test_commands_together_take_no_longer_than_the_work() -> None:
    slow = [CheckedCriterion("a", "unverified", "took too long", 50.0)]
    assert out_of_time(slow, 100.0) == ""
    assert out_of_time(2 * slow, 100.0) == "the criteria before it took 100 s, and 100 s is the limit"


def test_texts() -> None:
    failed = CheckedCriterion("a\nb", "failed", "exit code 1\n")
    assert failed.result == "failed: exit code 1"
    event = criterion_event(2, failed)
    assert (event.mark, event.text) == ("bad", "failed: a b (exit code 1)")
    assert event.data == {"number": 2, "criterion": "a\nb", "state": "failed", "said": "exit code 1\n"}
    assert not_written("p.md", "gone").text == "the results are not in p.md: gone"


def test_they_stand_in_the_texts_of_a_run() -> None:
    target = VariantTarget("grey", "tidy", "p.md", "0123456789abcdef", "", ("a",))
    document = criteria_document(target, [CheckedCriterion("a", "unverified", "no code")])
    stored = StoredRun(RUN, documents={SAVED: document})
    assert criteria_lines(stored, 0) == [
        "  plan    p.md as it was when it allowed grey: SHA-256 0123456789ab",
        "  unverified  a (no code)",
    ]
    assert criteria_of(stored) == document
    assert "  unverified  a (no code)" in FIX_ISSUES.ending_text(stored, 0)
    without = StoredRun(RUN, documents={SAVED: {}})
    assert (criteria_lines(without, 0), criteria_of(without)) == ([], {})
