from dataclasses import replace

import pytest

from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.gate.judge import RULES
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.hook.check import (
    NOTHING_CHANGED,
    OUTPUT_BYTES,
    UNCHANGED,
    add_note,
    find_refusal,
    judge_report,
    to_ending,
    to_event,
)
from reknit.core.hook.mode import CheckResult, CheckVerdict
from reknit.core.testing.report import CheckStatus, TestReport, TestResult

NAMED = ("tests/test_a.py",)
FACTS = TreeFacts()
REFUSAL = Refusal("protected-test", "tests/test_a.py", "it changes tests/test_a.py, a test")
NO_SERVER = 'psycopg.OperationalError: connection to server at "127.0.0.1", port 5432 failed: Connection refused'


def report(results: dict[str, TestResult], **messages: str) -> TestReport:
    status: CheckStatus = "fail" if "failed" in results.values() else "pass"
    words = {f"tests/test_a.py::{test}": text for test, text in messages.items()}
    return TestReport(status, "junit", results, words, output_tail="the end of the output")


@pytest.mark.parametrize(
    ("results", "verdict", "sentence"),
    [
        ({"tests/test_a.py::one": "passed"}, "passed", "1 test passed"),
        ({"tests/test_a.py::one": "failed"}, "failed", "tests/test_a.py::one failed"),
        ({"tests/test_a.py::one": "skipped"}, "failed", "tests/test_a.py::one was skipped, not passed"),
        ({"tests/test_a.py::one": "passed", "tests/test_b.py::two": "failed"}, "passed", "1 test passed"),
        ({"tests/test_b.py::two": "passed"}, "unseen", "no test of tests/test_a.py ran"),
        ({"tests/test_b.py::two": "passed", "tests/c": "failed"}, "unseen", "no test of tests/test_a.py ran"),
        ({"load of test_a": "failed"}, "failed", "load of test_a failed"),
        ({}, "unseen", "no test of tests/test_a.py ran"),
    ],
)
def test_only_the_named_tests_count(results: dict[str, TestResult], verdict: str, sentence: str) -> None:
    seen = judge_report(report(results), NAMED, FACTS)
    assert (seen.verdict, seen.sentence) == (verdict, sentence)


def test_a_failure_is_cut_to_what_matters_and_has_no_secrets() -> None:
    words = "\n".join([*(f"line {number}" for number in range(2000)), "E  assert 1 == 2", "ghp_" + "a" * 36])
    seen = judge_report(report({"tests/test_a.py::one": "failed"}, one=words), NAMED, FACTS)
    assert "E  assert 1 == 2" in seen.output
    assert "ghp_a" not in seen.output
    assert len(seen.output.encode()) <= OUTPUT_BYTES


def test_what_the_environment_broke_is_not_the_codes_fault() -> None:
    seen = judge_report(report({"tests/test_a.py::one": "failed"}, one=NO_SERVER), NAMED, FACTS)
    assert seen.verdict == "unseen"
    assert "PostgreSQL" in seen.sentence


def test_without_a_result_nothing_is_known_unless_the_test_itself_is_to_blame() -> None:
    hung = TestReport("error", "junit", why="it did not finish within 600 s", output_tail="tail")
    assert judge_report(hung, NAMED, FACTS).verdict == "failed"
    gone = TestReport(
        "error", "junit", output_tail="go: go.mod requires go >= 1.24 (running go 1.19; GOTOOLCHAIN=local)"
    )
    assert judge_report(gone, NAMED, FACTS).verdict == "unseen"


def test_a_refusal_names_the_rule_and_each_sentence() -> None:
    other = Refusal("test-removed", "tests/test_a.py", "it removes a test")
    seen = find_refusal(GateVerdict((REFUSAL, other), ("protected-test",), 1, 1, 1))
    assert seen is not None
    assert seen.verdict == "refused"
    assert seen.sentence == f"refused [protected-test]: {REFUSAL.sentence} (and 1 more refusal)"
    assert seen.output.splitlines() == [f"protected-test: {REFUSAL.sentence}", "test-removed: it removes a test"]
    one = find_refusal(GateVerdict((REFUSAL,), (), 1, 1, 1))
    assert one is not None
    assert one.sentence == f"refused [protected-test]: {REFUSAL.sentence}"


def test_the_test_runs_if_nothing_is_refused_or_nothing_was_changed() -> None:
    assert find_refusal(GateVerdict((), (), 1, 1, 1)) is None
    assert find_refusal(GateVerdict((Refusal(NOTHING_CHANGED, "", "no file"),), (), 0, 0, 0)) is None
    assert NOTHING_CHANGED in {rule.id for rule in RULES}


@pytest.mark.parametrize(
    ("verdict", "ending", "mark"),
    [
        ("passed", "FIXED", "ok"),
        ("failed", "DEFERRED", "bad"),
        ("refused", "DEFERRED", "bad"),
        ("unseen", "UNVERIFIED", "bad"),
    ],
)
def test_the_run_ends_as_its_check_did(verdict: CheckVerdict, ending: str, mark: str) -> None:
    result = CheckResult(verdict, "so")
    assert (to_ending(result).word, to_event(result, 2.0).mark) == (ending, mark)
    assert to_ending(result, is_open=True).word == {"DEFERRED": "PARTIAL"}.get(ending, ending)


def test_a_green_test_without_a_change_is_no_fix() -> None:
    ending = to_ending(CheckResult("passed", "1 test passed", UNCHANGED))
    assert (ending.word, ending.reason) == ("CLEAN", "1 test passed, and nothing that git sees was changed")


UNTOUCHED = GateVerdict((Refusal(NOTHING_CHANGED, "", "it changes nothing"),), (NOTHING_CHANGED,), 0, 0, 0)


@pytest.mark.parametrize(
    ("result", "verdict", "is_noted"),
    [
        pytest.param("passed", UNTOUCHED, True, id="green without a change"),
        pytest.param("passed", replace(UNTOUCHED, refusals=()), False, id="green with one"),
        pytest.param("failed", UNTOUCHED, False, id="red without a change"),
    ],
)
def test_a_success_without_a_change_says_so(result: CheckVerdict, verdict: GateVerdict, *, is_noted: bool) -> None:
    assert (add_note(CheckResult(result, "", ""), verdict).output == UNCHANGED) == is_noted
