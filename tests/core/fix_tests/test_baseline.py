"""What was true before: red every time is a finding, now and then is flaky, and what was not seen is never green."""

from dataclasses import replace

import pytest

from reknit.core.finding import Finding
from reknit.core.fix_tests.baseline import (
    ALONE,
    KEPT_S,
    RULES,
    WHOLE,
    Baseline,
    add_unready_projects,
    decide_baseline,
    find_whole_seconds,
    is_usable,
    is_worth_remembering,
    list_red_tests,
    renew_baseline,
)
from reknit.core.runs.ending import NO_SUCH_TEST
from reknit.core.testing.proof import record_run, sum_runs
from reknit.core.testing.report import CheckStatus, TestReport, TestResult, is_part_of

A, B, C = "tests/test_a.py::test_a", "tests/test_a.py::test_b", "tests/test_c.py::TestC::test_c[1]"
PASS: TestResult = "passed"
FAIL: TestResult = "failed"
SKIP: TestResult = "skipped"
UNSEEN = TestReport("error", "junit", why="the test command left no report", seconds=1.0)


def report(**results: TestResult) -> TestReport:
    """Keyword a, b, c: how that test went."""
    seen = {{"a": A, "b": B, "c": C}[key]: result for key, result in results.items()}
    status: CheckStatus = "fail" if FAIL in seen.values() else "pass"
    words = {test: f"{test} broke" for test, result in seen.items() if result == FAIL}
    return TestReport(status, "junit", seen, words, {A: "tests/test_a.py"}, output_tail="tail", seconds=1.0)


def facts(baseline: Baseline) -> tuple[str, list[str], list[str], list[str], list[str]]:
    asked = [finding.subject for finding in baseline.findings]
    return baseline.status, asked, list(baseline.red_elsewhere), list(baseline.flaky), list(baseline.passing)


@pytest.mark.parametrize(
    ("whole", "alone", "named", "expected"),
    [
        pytest.param(
            [report(a=FAIL, b=PASS), report(a=FAIL, b=PASS)],
            [],
            [],
            ("red", [A], [], [], [B]),
            id="red every time is a finding",
        ),
        pytest.param(
            [report(a=PASS, b=PASS), report(a=PASS, b=PASS)],
            [],
            [],
            ("green", [], [], [], [A, B]),
            id="all pass every time is green",
        ),
        pytest.param(
            [report(a=FAIL, b=PASS), report(a=PASS, b=PASS)],
            [],
            [],
            ("unseen", [], [], [A], [B]),
            id="nothing but a flaky test is not green",
        ),
        pytest.param(
            [report(a=FAIL, b=FAIL), report(a=FAIL, b=PASS)],
            [],
            [],
            ("red", [A], [], [B], []),
            id="a flaky test beside a red one is left out",
        ),
        pytest.param(
            [report(a=FAIL, b=FAIL), report(a=FAIL, b=FAIL)],
            [report(a=FAIL, b=PASS)],
            [],
            ("red", [A], [], [B], []),
            id="red in the suite but green alone is flaky",
        ),
        pytest.param(
            [report(a=FAIL, b=FAIL), report(a=FAIL, b=FAIL)],
            [report(a=FAIL, b=FAIL), report(a=FAIL, b=PASS), report(a=FAIL)],
            [],
            ("red", [A], [], [B], []),
            id="green alone at the second look is flaky",
        ),
        pytest.param(
            [report(a=FAIL), report(a=FAIL)],
            [UNSEEN],
            [],
            ("red", [A], [], [], []),
            id="a look at the red ones that failed takes nothing back",
        ),
        pytest.param(
            [report(a=FAIL, c=FAIL), report(a=FAIL, c=FAIL)],
            [],
            ["tests/test_a.py"],
            ("red", [A], [C], [], []),
            id="red but not asked for is elsewhere",
        ),
        pytest.param(
            [report(a=PASS, c=FAIL), report(a=PASS, c=FAIL)],
            [],
            [A],
            ("green", [], [C], [], [A]),
            id="the named test is green although another is red",
        ),
        pytest.param(
            [report(a=PASS, c=FAIL), report(a=PASS, c=PASS)],
            [],
            [A],
            ("green", [], [], [C], [A]),
            id="a flaky test that was not asked for does not matter",
        ),
        pytest.param(
            [report(a=FAIL, b=PASS), report(a=SKIP, b=SKIP)],
            [],
            [],
            ("unseen", [], [], [A], []),
            id="skipped now and then is neither red nor passing",
        ),
    ],
)
def test_the_baseline_is_settled(
    whole: list[TestReport],
    alone: list[TestReport],
    named: list[str],
    expected: tuple[str, list[str], list[str], list[str], list[str]],
) -> None:
    baseline = decide_baseline(whole, alone, named)
    assert facts(baseline) == expected
    assert baseline.passing_count == len(baseline.passing)
    assert baseline.runs == len(whole) + len(alone)
    assert baseline.seconds == baseline.runs


@pytest.mark.parametrize(
    ("whole", "named", "why"),
    [
        pytest.param([report(a=PASS), UNSEEN], [], UNSEEN.why, id="one run that was not seen"),
        pytest.param(
            [report(a=FAIL)] * 2, ["tests/test_gone.py"], "no test 'tests/test_gone.py'", id="a name of no test"
        ),
        pytest.param(
            [report(a=SKIP, b=FAIL)] * 2,
            [A],
            f"no test {A!r} ran every time on base",
            id="a named test that is skipped",
        ),
        pytest.param([report(a=FAIL), report(a=PASS)], [], f"could not be proven: {A}", id="flaky"),
    ],
)
def test_what_was_not_seen_says_why(whole: list[TestReport], named: list[str], why: str) -> None:
    baseline = decide_baseline(whole, (), named)
    assert baseline.status == "unseen"
    assert why in baseline.why


def test_a_finding_carries_the_tests_own_words_and_file() -> None:
    seen = report(a=FAIL, c=FAIL)
    seen = replace(seen, messages={**seen.messages, C: "something else"})
    [first, second] = decide_baseline([seen] * 2, (), []).findings
    assert (first.id, first.rule, first.file, first.message) == ("T-1", "test-failed", "tests/test_a.py", f"{A} broke")
    assert (second.id, second.file) == ("T-2", "")


def test_a_failure_without_words_is_told_by_the_end_of_the_output() -> None:
    silent = TestReport("fail", "exit code", {A: FAIL}, output_tail="x" * 3000)
    [finding] = decide_baseline([silent, silent], (), []).findings
    assert finding.message == "x" * 2000


def test_a_folder_may_be_named_too() -> None:
    whole = [report(a=FAIL, b=PASS)] * 2
    assert [finding.subject for finding in decide_baseline(whole, (), ["tests"]).findings] == [A]
    assert decide_baseline(whole, (), ["test"]).why.startswith(NO_SUCH_TEST)
    assert not is_part_of(A, ["tests"])  # a fix may not turn other tests of a folder red


def test_a_flaky_test_that_was_named_is_remembered_beside_a_red_one() -> None:
    whole = [report(a=FAIL, b=FAIL), report(a=FAIL, b=PASS)]
    baseline = decide_baseline(whole, (), ["tests/test_a.py"])
    assert (baseline.status, [finding.subject for finding in baseline.findings]) == ("red", [A])
    assert baseline.named_flaky == (B,)
    assert decide_baseline(whole, (), []).named_flaky == ()


def test_the_files_of_tests_are_known_but_not_sources_with_tests_in_them() -> None:
    files = {
        A: "tests/test_a.py",
        "src/doc.py::src.doc.f": "src/doc.py",
        "lib::works": "src/lib.rs",
        "x::1.5": "a.check.js",
    }
    seen = TestReport("pass", "junit", dict.fromkeys(files, PASS), files=files)
    assert decide_baseline([seen, seen], (), []).test_files == ("a.check.js", "tests/test_a.py")


def test_a_misspelt_name_gets_a_suggestion() -> None:
    whole = [report(a=PASS, b=PASS)] * 2
    assert decide_baseline(whole, (), ["tests/test_a.py::test_aa"]).why.endswith(f"did you mean {A}?")


def test_a_suite_that_only_the_environment_broke_is_blocked() -> None:
    offline = report(a=FAIL, b=PASS)
    offline = replace(offline, messages={A: "OSError: [Errno 101] Network is unreachable"})
    baseline = decide_baseline([offline, offline], (), [])
    assert (baseline.status, baseline.findings, baseline.left_out[0][0]) == ("blocked", (), (A,))


@pytest.mark.parametrize(
    ("why", "tail", "status"),
    [
        pytest.param("no report", "sh: 1: cargo: not found", "blocked", id="a program that is missing"),
        pytest.param("no report", "hm", "unseen", id="nothing that is known"),
    ],
)
def test_a_suite_without_a_result_is_blocked_if_it_says_what_is_missing(why: str, tail: str, status: str) -> None:
    silent = TestReport("error", "junit", why=why, output_tail=tail)
    baseline = decide_baseline([silent, silent], (), [])
    assert (baseline.status, bool(baseline.left_out), baseline.output_tail) == (status, status == "blocked", tail)


NOT_FOUND = "sh: 1: ffmpeg: not found"


@pytest.mark.parametrize(
    ("tail", "red", "status", "left_out"),
    [
        pytest.param(
            NOT_FOUND, True, "red", "the program ffmpeg is not installed where the tests run", id="beside-a-red-test"
        ),
        pytest.param(
            NOT_FOUND, False, "blocked", "the program ffmpeg is not installed where the tests run", id="nothing-red"
        ),
        pytest.param("odd", False, "unseen", "it left no report", id="why-is-not-known"),
    ],
)
def test_a_project_without_a_result_is_left_out(tail: str, *, red: bool, status: str, left_out: str) -> None:
    seen = replace(report(a="failed" if red else "passed"), no_result=(("cd web && x", "it left no report", tail),))
    found = decide_baseline([seen, seen], (), [])
    assert (found.status, found.not_run) == (status, ("cd web && x",))
    [(tests, sentence, _remedy)] = found.left_out
    assert (tests, sentence) == ((), f"`cd web && x` gave no result: {left_out}")
    assert found.why == sentence


def test_without_the_tests_of_every_project_nothing_is_green() -> None:
    unready = (((), "`npx vitest` was not run: node_modules is missing", "`npm ci`"),)
    green, red = decide_baseline([report(a=PASS)], (), []), decide_baseline([report(a=FAIL)], (), [])
    assert add_unready_projects(green, ()) is green
    blocked = add_unready_projects(green, unready)
    assert (blocked.status, blocked.left_out, blocked.why) == ("blocked", unready, unready[0][1])
    beside = add_unready_projects(red, unready)
    assert (beside.status, beside.left_out, beside.findings) == ("red", unready, red.findings)


def test_what_fails_alone_for_another_reason_is_told_apart() -> None:
    whole, other = report(a=FAIL, b=FAIL), report(a=FAIL, b=FAIL)
    alone = replace(other, messages={**other.messages, B: "NameError: name 'shop' is not defined"})
    assert decide_baseline([whole], [alone], []).only_in_suite == (B,)
    assert decide_baseline([whole], [other], []).only_in_suite == ()
    assert decide_baseline([whole, whole], [], []).only_in_suite == (), "nothing was run alone"


def test_a_red_test_with_another_id_in_each_run_is_told_before_an_agent_is_paid() -> None:
    first, second = (
        TestReport("fail", "junit", {f"t.py::a[<X at 0x7f000000{number}>]": FAIL}, {}) for number in range(2)
    )
    seen = decide_baseline([first, second], [], [])
    assert (seen.status, seen.findings) == ("unseen", ())
    assert seen.why.startswith("its id is another one in each run on base")


RED, ELSEWHERE, GREEN = "t.py::red", "t.py::elsewhere", "t.py::green"
SUITE = TestReport("fail", "junit", {RED: "failed", ELSEWHERE: "failed", GREEN: "passed"}, seconds=60.0)
STILL = TestReport("fail", "junit", {RED: "failed", ELSEWHERE: "failed"}, seconds=1.0)
ONCE, TWICE = [record_run(ALONE, STILL, 200.0)], [record_run(ALONE, STILL, 200.0), record_run(ALONE, STILL, 300.0)]
KNOWN = Baseline(
    "red",
    "junit",
    (Finding("T-1", "tests", "test-failed", RED),),
    (ELSEWHERE,),
    passing=(GREEN,),
    passing_count=1,
    runs=3,
    answered_by="r-0",
    rules=RULES,
    ran=sum_runs([record_run(WHOLE, SUITE, 100.0), *TWICE]),
)


def test_the_runs_of_a_baseline_are_counted() -> None:
    assert [(run.what, run.tests, run.seconds, run.times) for run in KNOWN.ran] == [(WHOLE, 3, 60, 1), (ALONE, 2, 2, 2)]
    assert (find_whole_seconds(KNOWN), find_whole_seconds(replace(KNOWN, ran=()))) == (60.0, 0.0)
    assert list_red_tests(KNOWN) == (RED, ELSEWHERE)


@pytest.mark.parametrize(
    ("baseline", "is_worth"),
    [
        pytest.param(KNOWN, True, id="red"),
        pytest.param(replace(KNOWN, status="green"), False, id="green is always looked at anew"),
        pytest.param(replace(KNOWN, left_out=(((RED,), "no network", ""),)), False, id="the environment"),
        pytest.param(replace(KNOWN, doubtful=("T-1",)), False, id="in doubt"),
        pytest.param(replace(KNOWN, flaky=(GREEN,)), False, id="what is flaky may be red after a fix"),
        pytest.param(replace(KNOWN, not_run=("npm test",)), False, id="a project without a result"),
        pytest.param(replace(KNOWN, ran=()), False, id="nothing was run"),
        pytest.param(
            replace(KNOWN, ran=sum_runs([record_run(WHOLE, SUITE, 1.0)] * 2)),
            False,
            id="red tests that cannot be run alone",
        ),
    ],
)
def test_only_what_was_certain_is_remembered(baseline: Baseline, is_worth: bool) -> None:
    assert is_worth_remembering(baseline) == is_worth


@pytest.mark.parametrize(
    ("known", "now", "usable"),
    [
        pytest.param(KNOWN, 100.0 + KEPT_S, True, id="a day old"),
        pytest.param(KNOWN, 101.0 + KEPT_S, False, id="older"),
        pytest.param(KNOWN, 99.0, False, id="from the future"),
        pytest.param(replace(KNOWN, rules=RULES - 1), 100.0, False, id="decided by older rules"),
        pytest.param(replace(KNOWN, ran=()), 100.0, False, id="of an older release"),
    ],
)
def test_what_is_old_is_not_used(known: Baseline, now: float, usable: bool) -> None:
    assert is_usable(known, now) == usable


def test_what_is_red_again_stands_for_the_whole_suite() -> None:
    seen = renew_baseline(KNOWN, "r-1", [STILL, STILL], TWICE)
    assert seen is not None
    assert (seen.findings, seen.passing, seen.answered_by, seen.seen_in) == (KNOWN.findings, (GREEN,), "", "r-1")
    assert (seen.runs, seen.seconds) == (2, 2.0)
    assert [(run.what, run.tests, run.times, run.at) for run in seen.ran] == [
        (f"{WHOLE}, in r-1", 3, 0, 100.0),
        (ALONE, 2, 2, 300.0),
    ]
    assert not is_usable(seen, 200.0), "only a run that ran the whole suite is remembered"


@pytest.mark.parametrize(
    "alone",
    [
        pytest.param([STILL, replace(STILL, results={RED: "failed", ELSEWHERE: "passed"})], id="one is green now"),
        pytest.param([replace(STILL, results={RED: "failed"})], id="one is gone"),
        pytest.param([replace(STILL, status="error")], id="no result"),
        pytest.param([], id="not run"),
    ],
)
def test_if_anything_changed_the_memory_counts_for_nothing(alone: list[TestReport]) -> None:
    assert renew_baseline(KNOWN, "r-1", alone, ONCE) is None
