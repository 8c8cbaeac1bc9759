from reknit.core.box import CommandResult
from reknit.core.services.failure import ServiceFailure
from reknit.core.services.service import Service
from reknit.core.testing.command import TestCommand
from reknit.core.testing.report import TestReport
from reknit.core.testing.services import (
    chosen_tests,
    ids_of,
    is_about_services,
    services_alone,
    services_unknown,
    with_services,
    without_services,
)

REDIS, OWN = Service("redis-server"), Service("python3 app.py", 8000)
COMMAND = TestCommand("pytest", ("pytest",), "junit", services=(REDIS, OWN))
OWN_ID = "the service `python3 app.py`"
PASSED = TestReport("pass", "junit", {"test_a.py::test": "passed"})
READY = CommandResult("exit", 0, b"", b"", 2.0, "ready")


def test_only_a_service_of_the_project_is_judged_like_a_test() -> None:
    assert ids_of(COMMAND) == (OWN_ID,)
    assert chosen_tests(COMMAND, [OWN_ID, "a"]) == ("a",)
    assert is_about_services(COMMAND, [OWN_ID])
    assert not is_about_services(COMMAND, [OWN_ID, "a"])
    assert not is_about_services(COMMAND, [])


def test_services_that_became_ready_are_in_the_report() -> None:
    assert with_services(COMMAND, READY, PASSED).results == {"test_a.py::test": "passed", OWN_ID: "passed"}


def test_a_box_that_starts_none_and_a_run_without_a_result_say_nothing_about_them() -> None:
    assert with_services(COMMAND, CommandResult("exit", 0, b"", b"", 1.0), PASSED) == PASSED
    error = TestReport("error", "junit", why="no report")
    assert with_services(COMMAND, READY, error) == error


def test_a_service_alone_passes_by_becoming_ready() -> None:
    report = services_alone(COMMAND, READY)
    assert (report.status, report.results) == ("pass", {OWN_ID: "passed"})


def test_a_service_that_was_not_started_gives_no_result() -> None:
    report = services_alone(COMMAND, CommandResult("exit", 0, b"", b"", 1.0))
    assert (report.status, report.why) == ("error", "this box starts no services")
    stopped = services_alone(COMMAND, CommandResult("wall", 0, b"", b"", 1.0))
    assert (stopped.status, "took too long" in stopped.why) == ("error", True)


def test_a_broken_service_of_the_project_is_red() -> None:
    report = without_services(COMMAND, ServiceFailure(OWN, 3, "SyntaxError"), 1.5)
    assert (report.status, report.results, report.exit_code) == ("fail", {OWN_ID: "failed"}, 3)
    assert report.messages[OWN_ID].endswith("it printed:\nSyntaxError")
    assert without_services(COMMAND, ServiceFailure(OWN, None), 1.5).exit_code == 1


def test_a_broken_server_of_the_machine_leaves_no_result() -> None:
    report = without_services(COMMAND, ServiceFailure(REDIS, 1, "FATAL"), 1.5)
    assert (report.status, report.results, report.output_tail) == ("error", {}, "FATAL")
    assert report.why == "the service `redis-server` ended with exit code 1 before it was ready"


def test_a_box_that_failed_is_neither_the_codes_fault_nor_a_services() -> None:
    report = services_unknown(COMMAND, CommandResult("exit", 125, b"", b"", 1.0, "unknown"), "bwrap: no space")
    assert (report.status, report.results, report.output_tail) == ("error", {}, "bwrap: no space")
    assert report.why == "the test command could not start (exit code 125)"
    killed = services_unknown(COMMAND, CommandResult("exit", 96, b"", b"", 1.0, "unknown"), "")
    assert killed.why == "the services of the tests could not be started"
