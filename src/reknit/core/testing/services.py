"""The services of a test command in its report: one that runs the project's code is judged like a test."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.box import CommandResult
from reknit.core.services.failure import ServiceFailure
from reknit.core.services.service import server_of, service_id
from reknit.core.testing.command import TestCommand
from reknit.core.testing.report import TestReport
from reknit.core.testing.status import problem_of_exit


def ids_of(command: TestCommand) -> tuple[str, ...]:
    """Well-known servers have none: no change of the code could repair them."""
    return tuple(service_id(service) for service in command.services if server_of(service) is None)


def chosen_tests(command: TestCommand, only: Sequence[str]) -> tuple[str, ...]:
    """The chosen tests that the test command itself knows."""
    own = ids_of(command)
    return tuple(test for test in only if test not in own)


def is_about_services(command: TestCommand, only: Sequence[str]) -> bool:
    """Nothing but services was chosen: the test command need not run."""
    return bool(only) and not chosen_tests(command, only)


def with_services(command: TestCommand, ended: CommandResult, report: TestReport) -> TestReport:
    """The report with the services that became ready; a run without a result has none of them either."""
    if ended.services != "ready" or report.status == "error":
        return report
    return replace(report, results={**report.results, **dict.fromkeys(ids_of(command), "passed")})


def services_alone(command: TestCommand, ended: CommandResult) -> TestReport:
    """Of a run in which nothing else was asked for."""
    if ended.services != "ready":
        why = problem_of_exit(ended.reason, ended.exit_code) or "this box starts no services"
        return TestReport("error", command.evidence, seconds=ended.seconds, why=why)
    return with_services(command, ended, TestReport("pass", command.evidence, seconds=ended.seconds))


def services_unknown(command: TestCommand, ended: CommandResult, output_tail: str) -> TestReport:
    """Neither the code nor a service is to blame: the box could not be built, or something in it was killed."""
    why = problem_of_exit(ended.reason, ended.exit_code) or "the services of the tests could not be started"
    return TestReport("error", command.evidence, output_tail=output_tail, seconds=ended.seconds, why=why)


def without_services(command: TestCommand, failure: ServiceFailure, seconds: float) -> TestReport:
    """No test ran. If the service is the project's own, that is what is red; otherwise there is no result."""
    if not failure.is_the_projects:
        return TestReport("error", command.evidence, output_tail=failure.log, seconds=seconds, why=failure.sentence)
    return TestReport(
        "fail",
        command.evidence,
        {service_id(failure.service): "failed"},
        {service_id(failure.service): failure.message},
        output_tail=failure.log,
        exit_code=failure.exit_code or 1,
        seconds=seconds,
    )
