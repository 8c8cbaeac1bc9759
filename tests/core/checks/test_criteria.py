"""What criteria do to an ending."""

import pytest

from reknit.core.capability import StoredRun
from reknit.core.checks.criteria import (
    CRITERIA_DOCUMENT,
    CheckedCriterion,
    apply_criteria,
    build_criteria_document,
    explain_timeout,
    get_criteria_document,
    judge_tests,
    render_criteria,
    report_criterion,
    report_unwritten_results,
)
from reknit.core.checks.status import TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_issues.capability import FIX_ISSUES
from reknit.core.planning.criteria import ProjectTests
from reknit.core.planning.criterion_facts import CriterionState
from reknit.core.planning.targets import VariantTarget
from reknit.core.runs.ending import Ending, EndingWord
from reknit.core.testing.report import WHOLE_SUITE
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
    ending = apply_criteria(Ending(word, "x", "", ("I-1",)), checked(*states), left_out)
    assert (ending.word, ending.reason, ending.fixed) == (expected, reason, ("I-1",))


def test_commands_together_take_no_longer_than_the_work() -> None:
    slow = [CheckedCriterion("a", "unverified", "took too long", 50.0)]
    assert explain_timeout(slow, 100.0) == ""
    assert explain_timeout(2 * slow, 100.0) == "the criteria before it took 100 s, and 100 s is the limit"


def test_texts() -> None:
    failed = CheckedCriterion("a\nb", "failed", "exit code 1\n")
    assert failed.result == "failed: exit code 1"
    event = report_criterion(2, failed)
    assert (event.mark, event.text) == ("bad", "failed: a b (exit code 1)")
    assert event.data == {"number": 2, "criterion": "a\nb", "state": "failed", "said": "exit code 1\n"}
    assert report_unwritten_results("p.md", "gone").text == "the results are not in p.md: gone"


def test_they_stand_in_the_texts_of_a_run() -> None:
    target = VariantTarget("grey", "tidy", "p.md", "0123456789abcdef", "", ("a",))
    document = build_criteria_document(target, [CheckedCriterion("a", "unverified", "no code")])
    stored = StoredRun(RUN, documents={CRITERIA_DOCUMENT: document})
    assert render_criteria(stored, 0) == [
        "  plan    p.md as it was when it allowed grey: SHA-256 0123456789ab",
        "  unverified  a (no code)",
    ]
    assert get_criteria_document(stored) == document
    assert "  unverified  a (no code)" in FIX_ISSUES.ending_text(stored, 0)
    without = StoredRun(RUN, documents={CRITERIA_DOCUMENT: {}})
    assert (render_criteria(without, 0), get_criteria_document(without)) == ([], {})


RED = TestsResult("fail", (Finding("T-1", "tests", "red", "t/a.py::y"),), passing=("t/a.py::x", "t/b.py::z"))
GREEN = TestsResult("pass", passing=("t/a.py::x",))


@pytest.mark.parametrize(
    ("test", "seen", "state", "text"),
    [
        pytest.param("", GREEN, "passed", "1 test passed", id="all"),
        pytest.param("", RED, "failed", "1 test failed: t/a.py::y", id="red"),
        pytest.param("t/a.py", RED, "failed", "1 test failed: t/a.py::y", id="red-file"),
        pytest.param("t/b.py", RED, "passed", "1 test passed", id="green-file-of-a-red-suite"),
        pytest.param("t/a.py::x", RED, "passed", "1 test passed", id="one-test"),
        pytest.param("t/", RED, "failed", "1 test failed: t/a.py::y", id="folder"),
        pytest.param("t/c.py", RED, "unverified", "no such test was run", id="not-run"),
        pytest.param("", TestsResult("pass"), "unverified", "no such test was run", id="nothing-ran"),
        pytest.param(
            "", TestsResult("pass", passing=("a",), flaky=("b",)), "unverified", "red only sometimes: b", id="flaky"
        ),
        pytest.param(
            "t/a.py", TestsResult("pass", passing=(WHOLE_SUITE,)), "unverified",
            "the test command does not say which tests it ran", id="exit-code",
        ),
        pytest.param("", TestsResult("pass", passing=(WHOLE_SUITE,)), "passed", "1 test passed", id="exit-code-of-all"),
        pytest.param(
            "", TestsResult("fail", passing=("a",), left_out=((("b",), "no Postgres", "start it"),)), "unverified",
            "not all tests could run here: 1 test, not the code's fault (b): no Postgres; start it", id="environment",
        ),
        pytest.param(
            "", TestsResult("error", why="no pytest"), "unverified", "the tests gave no result: no pytest", id="error"
        ),
    ],
)  # fmt: skip
def test_tests(test: str, seen: TestsResult, state: str, text: str) -> None:
    found = judge_tests(ProjectTests("", test), seen)
    assert (found.state, found.text) == (state, text)
