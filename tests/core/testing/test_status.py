import pytest

from reknit.core.box import EndReason
from reknit.core.testing.report import CheckStatus, TestResult
from reknit.core.testing.status import FinishedTestRun, status_of

OK: dict[str, TestResult] = {"a.py::t": "passed", "a.py::u": "skipped"}
RED: dict[str, TestResult] = {"a.py::t": "failed", "a.py::u": "passed"}


@pytest.mark.parametrize(
    ("runner", "exit_code", "results", "problem", "status", "why"),
    [
        pytest.param("pytest", 0, OK, "", "pass", "", id="all-agree-on-green"),
        pytest.param("pytest", 1, RED, "", "fail", "", id="all-agree-on-red"),
        pytest.param("pytest", 2, RED, "", "error", "interrupted", id="a suite cut short is not seen, red or not"),
        pytest.param("maven", 1, RED, "", "fail", "", id="another-runner-is-red"),
        pytest.param("pytest", 0, RED, "", "error", "exit code 0", id="red-report-but-exit-0"),
        pytest.param("pytest", 1, OK, "", "error", "names no failed test", id="green-report-but-exit-1"),
        pytest.param("pytest", 2, OK, "", "error", "interrupted", id="pytest-2"),
        pytest.param("pytest", 3, OK, "", "error", "internal error", id="pytest-3"),
        pytest.param("pytest", 4, {}, "", "error", "called with wrong arguments", id="pytest-4"),
        pytest.param("pytest", 5, {}, "", "error", "collected no tests", id="pytest-5"),
        pytest.param(
            "pytest", 4, {}, "left no report", "error", "called with wrong arguments", id="pytest-4-without-report"
        ),
        pytest.param("maven", 5, OK, "", "error", "exit code 5", id="5-means-nothing-special-elsewhere"),
        pytest.param("pytest", 0, {}, "left no report", "error", "left no report", id="no-report"),
        pytest.param("pytest", 0, {}, "", "error", "names no test", id="empty-report"),
        pytest.param("pytest", 0, {"a": "skipped"}, "", "error", "every test was skipped", id="all-skipped"),
        pytest.param("maven", 127, {}, "", "error", "could not start", id="not-found"),
        pytest.param("maven", 126, RED, "", "error", "could not start", id="not-executable"),
        pytest.param("maven", 125, {}, "", "error", "could not start", id="no-box"),
        pytest.param("mocha", 126, RED, "", "fail", "", id="mocha-counts-its-failures"),
        pytest.param("mocha", 126, {}, "", "error", "could not start", id="mocha-that-is-not-there"),
        pytest.param("pytest", -9, RED, "", "error", "signal 9", id="killed"),
    ],
)
def test_a_pass_needs_everything_to_agree(
    runner: str, exit_code: int, results: dict[str, TestResult], problem: str, status: CheckStatus, why: str
) -> None:
    got, said = status_of(FinishedTestRun(runner, "exit", exit_code, results, problem))
    assert got == status
    assert why in said
    assert bool(said) == (status == "error")


@pytest.mark.parametrize(("reason", "why"), [("wall", "too long"), ("idle", "silent"), ("output", "too much output")])
def test_a_stopped_command_has_shown_nothing(reason: EndReason, why: str) -> None:
    status, said = status_of(FinishedTestRun("pytest", reason, 0, OK))
    assert status == "error"
    assert why in said


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        pytest.param(["a.py::t"], "pass", id="seen"),
        pytest.param(["a.py"], "pass", id="a-file-that-loads-now"),
        pytest.param(["a.py::t", "b.py::gone"], "error", id="one-is-missing"),
    ],
)
def test_every_chosen_test_must_be_seen(wanted: list[str], status: CheckStatus) -> None:
    got, said = status_of(FinishedTestRun("pytest", "exit", 0, OK, wanted=wanted))
    assert got == status
    assert ("1 of 2 chosen tests were not run, the first is b.py::gone" in said) == (status == "error")


@pytest.mark.parametrize(
    ("results", "wanted", "exit_code", "status"),
    [
        pytest.param(OK, ["a.py::t"], 1, "pass", id="a threshold that a few tests cannot reach"),
        pytest.param(OK, ["a.py::t"], 2, "error", id="another exit code"),
        pytest.param(OK, ["a.py::u"], 1, "error", id="a chosen test was skipped"),
        pytest.param(OK, ["a.py::t", "b.py"], 1, "error", id="a chosen test is missing"),
        pytest.param(RED, ["a.py::u"], 1, "fail", id="another test failed"),
        pytest.param(OK, [], 1, "error", id="the whole suite"),
    ],
)
def test_chosen_tests_that_passed_have_passed(
    results: dict[str, TestResult], wanted: list[str], exit_code: int, status: CheckStatus
) -> None:
    assert status_of(FinishedTestRun("vitest", "exit", exit_code, results, wanted=wanted))[0] == status


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("2 passed\nFAIL Required test coverage of 95% not reached. Total coverage: 67%\n", "of 95% not reached"),
        ('Jest: "global" coverage threshold for lines (90%) not met: 50%', "threshold for lines (90%) not met"),
        ("ERROR: Coverage for lines (50%) does not meet global threshold (90%)", "does not meet global threshold"),
        ("2 passed", "names no failed test"),
    ],
)
def test_a_threshold_that_failed_the_run_is_named(output: str, said: str) -> None:
    status, why = status_of(FinishedTestRun("pytest", "exit", 1, OK, output=output))
    assert (status, said in why) == ("error", True)


def test_a_broken_conftest_is_named() -> None:
    output = (
        "ImportError while loading conftest '/shop/tests/conftest.py'.\ntests/conftest.py:1: in <module>\n"
        "    import nope\nE   ModuleNotFoundError: No module named 'nope'\n"
    )
    seen = FinishedTestRun("pytest", "exit", 4, {}, output=output)
    assert status_of(seen) == (
        "error",
        "conftest.py could not be imported: ModuleNotFoundError: No module named 'nope'",
    )
    cut = FinishedTestRun("pytest", "exit", 4, {}, output=output.splitlines()[0])
    assert status_of(cut) == ("error", "conftest.py could not be imported")
    printed = FinishedTestRun("pytest", "exit", 0, {"a": "passed"}, output=output)
    assert status_of(printed) == ("pass", "")


RUNNERS = (
    "pytest",
    "unittest",
    "django",
    "vitest",
    "jest",
    "mocha",
    "node",
    "playwright",
    "go",
    "cargo",
    "maven",
    "gradle",
)


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize(
    ("exit_code", "results", "wanted", "status"),
    [
        pytest.param(0, OK, [], "pass", id="report and exit code are green"),
        pytest.param(1, RED, [], "fail", id="report and exit code are red"),
        pytest.param(0, RED, [], "error", id="red by the report alone"),
        pytest.param(1, OK, [], "error", id="red by the exit code alone"),
        pytest.param(0, {}, [], "error", id="green without a result"),
        pytest.param(0, {"a.py::t": "skipped"}, [], "error", id="green, and every test skipped"),
        pytest.param(0, OK, ["a.py::gone"], "error", id="green without the test that was asked for"),
        pytest.param(-9, OK, [], "error", id="killed after a green report"),
        pytest.param(0, RED, ["a.py::u"], "error", id="another test is red, and the exit code is not"),
    ],
)
def test_report_and_exit_code_agree_for_every_runner(
    runner: str, exit_code: int, results: dict[str, TestResult], wanted: list[str], status: CheckStatus
) -> None:
    assert status_of(FinishedTestRun(runner, "exit", exit_code, results, wanted=wanted))[0] == status
