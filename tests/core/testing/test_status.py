import pytest

from reknit.core.box import CommandResult, EndReason
from reknit.core.services.failure import ServiceFailure
from reknit.core.services.service import Service
from reknit.core.testing.command import TestCommand
from reknit.core.testing.report import CheckStatus, TestReport, TestResult
from reknit.core.testing.status import (
    FinishedTestRun,
    add_services,
    are_only_services,
    decide_status,
    drop_service_ids,
    list_service_ids,
    report_failed_service,
    report_services_alone,
    report_unknown_services,
)

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
    got, said = decide_status(FinishedTestRun(runner, "exit", exit_code, results, problem))
    assert got == status
    assert why in said
    assert bool(said) == (status == "error")


@pytest.mark.parametrize(("reason", "why"), [("wall", "too long"), ("idle", "silent"), ("output", "too much output")])
def test_a_stopped_command_has_shown_nothing(reason: EndReason, why: str) -> None:
    status, said = decide_status(FinishedTestRun("pytest", reason, 0, OK))
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
    got, said = decide_status(FinishedTestRun("pytest", "exit", 0, OK, required_tests=wanted))
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
    assert decide_status(FinishedTestRun("vitest", "exit", exit_code, results, required_tests=wanted))[0] == status


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
    status, why = decide_status(FinishedTestRun("pytest", "exit", 1, OK, output=output))
    assert (status, said in why) == ("error", True)


def test_a_broken_conftest_is_named() -> None:
    output = (
        "ImportError while loading conftest '/shop/tests/conftest.py'.\ntests/conftest.py:1: in <module>\n"
        "    import nope\nE   ModuleNotFoundError: No module named 'nope'\n"
    )
    seen = FinishedTestRun("pytest", "exit", 4, {}, output=output)
    assert decide_status(seen) == (
        "error",
        "conftest.py could not be imported: ModuleNotFoundError: No module named 'nope'",
    )
    cut = FinishedTestRun("pytest", "exit", 4, {}, output=output.splitlines()[0])
    assert decide_status(cut) == ("error", "conftest.py could not be imported")
    printed = FinishedTestRun("pytest", "exit", 0, {"a": "passed"}, output=output)
    assert decide_status(printed) == ("pass", "")


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
    assert decide_status(FinishedTestRun(runner, "exit", exit_code, results, required_tests=wanted))[0] == status


REDIS, OWN = Service("redis-server"), Service("python3 app.py", 8000)
COMMAND = TestCommand("pytest", ("pytest",), "junit", services=(REDIS, OWN))
OWN_ID = "the service `python3 app.py`"
PASSED = TestReport("pass", "junit", {"test_a.py::test": "passed"})
READY = CommandResult("exit", 0, b"", b"", 2.0, "ready")


def test_only_a_service_of_the_project_is_judged_like_a_test() -> None:
    assert list_service_ids(COMMAND) == (OWN_ID,)
    assert drop_service_ids(COMMAND, [OWN_ID, "a"]) == ("a",)
    assert are_only_services(COMMAND, [OWN_ID])
    assert not are_only_services(COMMAND, [OWN_ID, "a"])
    assert not are_only_services(COMMAND, [])


def test_services_that_became_ready_are_in_the_report() -> None:
    assert add_services(COMMAND, READY, PASSED).results == {"test_a.py::test": "passed", OWN_ID: "passed"}


def test_a_box_that_starts_none_and_a_run_without_a_result_say_nothing_about_them() -> None:
    assert add_services(COMMAND, CommandResult("exit", 0, b"", b"", 1.0), PASSED) == PASSED
    error = TestReport("error", "junit", why="no report")
    assert add_services(COMMAND, READY, error) == error


def test_a_service_alone_passes_by_becoming_ready() -> None:
    report = report_services_alone(COMMAND, READY)
    assert (report.status, report.results) == ("pass", {OWN_ID: "passed"})


def test_a_service_that_was_not_started_gives_no_result() -> None:
    report = report_services_alone(COMMAND, CommandResult("exit", 0, b"", b"", 1.0))
    assert (report.status, report.why) == ("error", "this box starts no services")
    stopped = report_services_alone(COMMAND, CommandResult("wall", 0, b"", b"", 1.0))
    assert (stopped.status, "took too long" in stopped.why) == ("error", True)


def test_a_broken_service_of_the_project_is_red() -> None:
    report = report_failed_service(COMMAND, ServiceFailure(OWN, 3, "SyntaxError"), 1.5)
    assert (report.status, report.results, report.exit_code) == ("fail", {OWN_ID: "failed"}, 3)
    assert report.messages[OWN_ID].endswith("it printed:\nSyntaxError")
    assert report_failed_service(COMMAND, ServiceFailure(OWN, None), 1.5).exit_code == 1


def test_a_broken_server_of_the_machine_leaves_no_result() -> None:
    report = report_failed_service(COMMAND, ServiceFailure(REDIS, 1, "FATAL"), 1.5)
    assert (report.status, report.results, report.output_tail) == ("error", {}, "FATAL")
    assert report.why == "the service `redis-server` ended with exit code 1 before it was ready"


def test_a_box_that_failed_is_neither_the_codes_fault_nor_a_services() -> None:
    report = report_unknown_services(COMMAND, CommandResult("exit", 125, b"", b"", 1.0, "unknown"), "bwrap: no space")
    assert (report.status, report.results, report.output_tail) == ("error", {}, "bwrap: no space")
    assert report.why == "the test command could not start (exit code 125)"
    killed = report_unknown_services(COMMAND, CommandResult("exit", 96, b"", b"", 1.0, "unknown"), "")
    assert killed.why == "the services of the tests could not be started"
