"""The tests of one commit: red, flaky or not to be seen, and whether a fix holds."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.checks.status import TestsResult
from reknit.core.checks.tests import (
    MAX_MESSAGES,
    MESSAGE_CHARS,
    TAIL_LINES,
    add_unready_projects,
    describe_suite_run,
    explain_broken_fix,
    is_all_red,
    judge_commit_tests,
    list_suite_only,
    mark_unproven,
    report_baseline,
    report_unproven,
    report_verification,
)
from reknit.core.finding import Finding
from reknit.core.testing.report import WHOLE_SUITE, CheckStatus, TestReport, TestResult


def report(
    results: Mapping[str, TestResult], *, status: CheckStatus | None = None, tail: str = "the end", why: str = ""
) -> TestReport:
    red = [test for test, result in results.items() if result == "failed"]
    return TestReport(
        status or ("fail" if red else "pass"),
        "junit",
        results,
        {test: f"{test} is wrong" for test in red},
        dict.fromkeys(results, "t.py"),
        output_tail=tail,
        seconds=2.0,
        why=why,
    )


ONE_RED = report({"a": "failed", "b": "passed", "c": "skipped"})
NO_ANSWER = report({}, status="error", why="the test command was killed", tail="Killed")


def red(test: str, number: int = 1) -> Finding:
    return Finding(f"T-{number}", "tests", "test-failed", test, "t.py", message=f"{test} is wrong")


def test_green_tests_are_a_pass_with_a_number() -> None:
    seen = judge_commit_tests(report({"a": "passed", "b": "passed"}), None)
    assert seen == TestsResult("pass", passed=2, test_files=("t.py",), passing=("a", "b"), seconds=2.0)


def test_what_is_red_twice_is_red() -> None:
    seen = judge_commit_tests(ONE_RED, report({"a": "failed"}))
    words = {"test_files": ("t.py",), "passing": ("b",), "output_tail": "the end"}
    assert seen == TestsResult("fail", (red("a"),), 1, **words, seconds=4.0)  # type: ignore[arg-type]


def test_what_is_red_once_is_flaky_and_nobodys_work() -> None:
    seen = judge_commit_tests(report({"a": "failed", "b": "failed"}), report({"a": "passed", "b": "failed"}))
    assert (seen.status, seen.findings, seen.flaky) == ("fail", (red("b"),), ("a",))
    seen = judge_commit_tests(ONE_RED, report({"a": "passed"}))
    assert (seen.status, seen.findings, seen.flaky, seen.output_tail) == ("pass", (), ("a",), "")


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(None, id="it was not run again"),
        pytest.param(report({"a": "skipped"}), id="it was skipped"),
        pytest.param(report({"b": "passed"}), id="it was not there"),
    ],
)
def test_red_is_red_until_it_was_seen_green(again: TestReport | None) -> None:
    assert judge_commit_tests(ONE_RED, again).findings == (red("a"),)


@pytest.mark.parametrize(("whole", "again"), [(NO_ANSWER, None), (ONE_RED, NO_ANSWER)])
def test_what_could_not_be_seen_is_an_error_with_one_finding(whole: TestReport, again: TestReport | None) -> None:
    seen = judge_commit_tests(whole, again)
    assert (seen.status, seen.why, seen.output_tail) == ("error", "the test command was killed", "Killed")
    assert seen.findings == (
        Finding("T-1", "tests", "test-command", WHOLE_SUITE, message="the test command was killed\nKilled"),
    )


def test_an_error_without_a_word_has_one() -> None:
    assert judge_commit_tests(report({}, status="error"), None).why == "the test command gave no result"


def test_long_words_are_cut() -> None:
    many: dict[str, TestResult] = {f"t{number:03}": "failed" for number in range(MAX_MESSAGES + 1)}
    loud = TestReport("fail", "exit code", many, output_tail="x" * (MESSAGE_CHARS + 1) + "\n" * TAIL_LINES)
    seen = judge_commit_tests(loud, None)
    assert [len(finding.message) for finding in seen.findings] == [MESSAGE_CHARS] * MAX_MESSAGES + [0]
    assert seen.output_tail.count("\n") == TAIL_LINES - 1


def fail(*tests: str, flaky: tuple[str, ...] = (), passing: tuple[str, ...] = ()) -> TestsResult:
    findings = tuple(red(test, number) for number, test in enumerate(tests, 1))
    return TestsResult("fail" if tests else "pass", findings, flaky=flaky, passing=passing)


GREEN, BROKEN = TestsResult("pass"), TestsResult("error", (red("all"),), why="no report", output_tail="Killed")


@pytest.mark.parametrize(
    ("before", "after", "asked", "expected"),
    [
        pytest.param(fail("a"), fail(passing=("a",)), True, "", id="all is green"),
        pytest.param(fail("t.py"), fail(passing=("t.py::a",)), True, "", id="a file that can be loaded now"),
        pytest.param(fail("a"), GREEN, True, "a still does not pass", id="it did not run any more"),
        pytest.param(
            fail("a", passing=("b", "c")),
            fail(passing=("a", "c")),
            True,
            "1 test(s) that passed before no longer ran: b",
            id="another one did not run any more",
        ),
        pytest.param(
            fail("a", passing=("b",)), fail(flaky=("b",), passing=("a",)), True, "", id="one turned out flaky"
        ),
        pytest.param(GREEN, GREEN, False, "", id="all stayed green"),
        pytest.param(fail("a", "b"), fail("b", passing=("a",)), True, "", id="fewer are red"),
        pytest.param(fail("a"), fail("a"), False, "", id="it was about something else"),
        pytest.param(fail("a"), fail("a"), True, "a still does not pass", id="not one became green"),
        pytest.param(GREEN, fail("a"), False, "1 test(s) are red that were not before: a", id="it broke one"),
        pytest.param(
            fail("a", "b"),
            fail("b", "c"),
            True,
            "1 test(s) are red that were not before: c",
            id="it mended one, broke one",
        ),
        pytest.param(fail("b", flaky=("a",)), fail("a", passing=("b",)), True, "", id="a flaky one is red"),
        pytest.param(TestsResult("pass", flaky=("a",)), fail("a"), False, "", id="a flaky one was not broken by it"),
        pytest.param(BROKEN, fail("a", "b"), True, "", id="now one can see what is red"),
        pytest.param(fail("a"), BROKEN, True, "the tests gave no result after the change: no report", id="not seen"),
        pytest.param(BROKEN, BROKEN, True, "the tests gave no result after the change: no report", id="still not"),
    ],
)
def test_whether_a_fix_holds(before: TestsResult, after: TestsResult, expected: str, *, asked: bool) -> None:
    assert explain_broken_fix(before, after, must_turn_green=asked).partition("\n")[0] == expected


def test_why_it_does_not_is_told_in_the_tests_own_words() -> None:
    assert explain_broken_fix(GREEN, fail("a", "b", "c", "d"), must_turn_green=False) == (
        "4 test(s) are red that were not before: a, b, c\na is wrong"
    )
    assert explain_broken_fix(fail("a"), BROKEN, must_turn_green=True).endswith("\nKilled")


ABSENT = "tests/test_a.py:1: in <module>\n    import requests\nE   ModuleNotFoundError: No module named 'requests'"
FACTS = TreeFacts(frozenset({"pyproject.toml", "tests/test_a.py"}), {"pyproject.toml": 'dependencies = ["requests"]'})


def in_a_poor_environment(**results: TestResult) -> TestReport:
    seen = report(results)
    return replace(seen, messages={**seen.messages, "a": ABSENT})


def test_what_the_environment_broke_is_left_out_and_still_red() -> None:
    only = judge_commit_tests(in_a_poor_environment(a="failed", b="passed"), None, FACTS)
    assert (only.status, only.findings, only.is_blocked) == ("fail", (), True)
    ((tests, why, remedy),) = only.left_out
    assert (tests, "requests" in why, "pip install" in remedy) == (("a",), True, True)
    beside = judge_commit_tests(in_a_poor_environment(a="failed", b="failed", c="passed"), None, FACTS)
    assert ([finding.subject for finding in beside.findings], beside.is_blocked) == (["b"], False)
    assert [tests for tests, *_ in beside.left_out] == [("a",)]


def test_a_suite_that_the_environment_kept_from_running_is_nobodys_work() -> None:
    killed = report({}, status="error", why="sh: 1: make: not found", tail="sh: 1: make: not found")
    seen = judge_commit_tests(killed, None, TreeFacts(frozenset({"Makefile"})))
    assert (seen.status, seen.findings, seen.is_blocked) == ("error", (), True)


def test_a_fix_is_not_excused_by_what_looks_like_the_environment() -> None:
    before = judge_commit_tests(report({"a": "passed", "b": "failed"}), None, FACTS)
    after = judge_commit_tests(in_a_poor_environment(a="failed", b="passed"), None, FACTS)
    assert "1 test(s) are red that were not before: a" in explain_broken_fix(before, after, must_turn_green=True)
    held = judge_commit_tests(in_a_poor_environment(a="failed", b="passed"), None, FACTS)
    assert (
        explain_broken_fix(
            judge_commit_tests(in_a_poor_environment(a="failed", b="failed"), None, FACTS), held, must_turn_green=True
        )
        == ""
    )


NO_PROGRAM = ("(cd a; make test)", "the test command could not start (exit code 127)", "sh: 1: ffmpeg: not found")


def test_the_environment_of_one_project_hides_no_red_test_of_another() -> None:
    unseen = replace(report({}, status="error", why=NO_PROGRAM[1], tail=NO_PROGRAM[2]), no_result=(NO_PROGRAM,))
    assert judge_commit_tests(unseen, None).is_blocked
    beside = replace(unseen, results={"b": "failed"})
    assert [finding.rule for finding in judge_commit_tests(beside, None).findings] == ["test-command"]
    other = ("pytest", "the test command left no report (exit code 1)", "SyntaxError: invalid syntax")
    both = judge_commit_tests(replace(unseen, no_result=(NO_PROGRAM, other)), None)
    assert (both.status, both.is_blocked) == ("error", False)


def test_a_suite_that_does_not_end_may_be_the_pull_requests_own_doing() -> None:
    seen = judge_commit_tests(
        report({}, status="error", why="the test command took too long and was stopped", tail=""), None
    )
    assert (seen.status, seen.is_blocked) == ("error", False)


def test_without_the_tests_of_every_project_nothing_is_green() -> None:
    unready = (((), "`npx vitest` was not run: node_modules is missing", "`npm ci`"),)
    green = judge_commit_tests(report({"a": "passed"}), None)
    assert add_unready_projects(green, ()) is green
    seen = add_unready_projects(green, unready)
    assert (seen.status, seen.is_blocked, seen.left_out) == ("fail", True, unready)
    red = add_unready_projects(judge_commit_tests(ONE_RED, None), unready)
    assert (red.status, red.is_blocked) == ("fail", False)


def test_a_test_of_which_no_fix_was_proven_is_flaky_for_the_rest_of_the_run() -> None:
    seen = judge_commit_tests(report({"a": "failed", "b": "failed", "c": "passed"}), None)
    assert mark_unproven(seen, ()) is seen
    one = mark_unproven(seen, ("a",))
    assert (one.status, [finding.subject for finding in one.findings], one.flaky) == ("fail", ["b"], ("a",))
    both = mark_unproven(replace(seen, flaky=("c",)), ("b", "a"))
    assert (both.status, both.findings, both.flaky) == ("pass", (), ("a", "b", "c"))
    assert mark_unproven(replace(seen, left_out=((("d",), "no network", ""),)), ("a", "b")).status == "fail"
    unseen = judge_commit_tests(NO_ANSWER, None)
    assert mark_unproven(unseen, ("a",)) is unseen


@pytest.mark.parametrize(
    ("alone", "is_red"),
    [
        pytest.param(report({"a": "failed", "b": "failed"}), True, id="red alone too"),
        pytest.param(report({"a": "failed", "b": "passed"}), False, id="green alone: flaky, or red only in its suite"),
        pytest.param(report({"a": "failed"}), False, id="not there"),
        pytest.param(report({"a": "failed", "b": "failed"}, status="error"), False, id="no result"),
    ],
)
def test_the_whole_suite_is_run_again_unless_all_is_red_alone(alone: TestReport, is_red: bool) -> None:
    assert is_all_red(["a", "b"], alone) == is_red


def test_the_runs_of_a_commit_for_people() -> None:
    assert describe_suite_run("abcdefghij", alone=True) == "what is red, alone, on abcdefg"
    assert describe_suite_run("abcdefghij", alone=False) == "the whole suite, on abcdefg"


def test_a_test_with_another_id_in_each_run_is_not_blamed_on_a_fix() -> None:
    now, later = "t.py::made[<X at 0x7f0000000001>]", "t.py::made[<X at 0x7f0000000002>]"
    passed, failed = (judge_commit_tests(report({now: result}), None) for result in ("passed", "failed"))
    assert explain_broken_fix(passed, judge_commit_tests(report({later: "passed"}), None), must_turn_green=False) == ""
    assert explain_broken_fix(failed, judge_commit_tests(report({later: "failed"}), None), must_turn_green=False) == ""
    assert "no longer ran" in explain_broken_fix(
        passed, judge_commit_tests(report({"t.py::b": "passed"}), None), must_turn_green=False
    )


PYTEST = """assert 190 == 180
 +  where 190 = discount(200, 10)
def test_discount():
>       assert discount(200, 10) == 180
E       assert 190 == 180

tests/test_price.py:5: AssertionError"""
DOCTEST = "012 Then:\n\n>>> bump()\nExpected:\n    '1'\nGot:\n    '2'"
NO_NAME = (
    "012 Then:\n\n>>> bump()\nUNEXPECTED EXCEPTION: NameError(\"name 'bump' is not defined\")\n"
    "Traceback (most recent call last):\n  File \"doctest.py\", line 1, in x\nNameError: name 'bump' is not defined\n"
)


def failure(words: str) -> TestReport:
    return TestReport("fail", "junit", {"t": "failed"}, {"t": words} if words else {})


@pytest.mark.parametrize(
    ("whole", "alone", "is_of_suite"),
    [
        pytest.param(PYTEST, [failure(PYTEST)], False, id="the same words"),
        pytest.param("assert 3 == 4", [failure("assert 5 == 4")], False, id="other values"),
        pytest.param(DOCTEST, [failure(NO_NAME)], True, id="another kind"),
        pytest.param("KeyError: no such price", [failure("KeyError: there is no shop")], True, id="other words"),
        pytest.param("assert 3 == 4", [failure("")], False, id="no words to compare"),
        pytest.param("", [failure("assert 3 == 4")], False, id="an exit code has no words"),
        pytest.param("assert 3 == 4", [failure("KeyError: 1"), failure("assert 3 == 4")], False, id="alike once"),
        pytest.param("assert 3 == 4", [TestReport("error", "junit")], True, id="cannot be run alone"),
        pytest.param("assert 3 == 4", [TestReport("pass", "junit", {"t": "passed"})], False, id="flaky, or not red"),
    ],
)
def test_only_the_suite_judges_what_fails_differently_alone(
    whole: str, alone: list[TestReport], *, is_of_suite: bool
) -> None:
    assert list_suite_only(("t",), failure(whole), alone) == (("t",) if is_of_suite else ())


@pytest.mark.parametrize(
    ("seen", "mark", "text"),
    [
        pytest.param(TestsResult("pass", passed=5, seconds=2), "ok", "5 passed on bbbbbbb  2.0 s", id="green"),
        pytest.param(
            TestsResult("fail", (Finding("T-1", "tests", "test-failed", "t"),), passed=4), "ok",
            "4 passed on bbbbbbb, 1 red before any change  0.0 s", id="red before",
        ),
        pytest.param(
            TestsResult("pass", passed=4, left_out=((("t",), "no redis", "start it"),)), "ok",
            "4 passed on bbbbbbb; left out: ", id="some left out",
        ),
        pytest.param(TestsResult("error", why="no pytest", output_tail="w"), "bad", "not seen: no pytest", id="unseen"),
    ],
)  # fmt: skip
def test_the_tests_before(seen: TestsResult, mark: str, text: str) -> None:
    event = report_baseline(seen, "b" * 40)
    assert (event.mark, event.text.startswith(text)) == (mark, True), event.text
    assert event.data.get("output_tail", "") == seen.output_tail


def test_the_tests_after() -> None:
    held = report_verification(3, TestsResult("pass", passed=5, seconds=2), "")
    assert (held.mark, held.text, held.data["holds"]) == ("ok", "5 passed, no new failures  2.0 s", True)
    red = report_verification(3, TestsResult("fail"), "t is red\nmore")
    assert (red.mark, red.text, red.data["attempt"]) == ("bad", "does not hold: t is red", 3)
    beside = report_unproven(3, "only comments\nchanged")
    assert (beside.mark, beside.text, beside.data["holds"]) == ("bad", "does not count: only comments changed", False)
