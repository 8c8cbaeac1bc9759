"""The status of one run of a test command. `pass` requires everything to agree; in doubt it is `error`."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reknit.core.box import EndReason
from reknit.core.testing.report import CheckStatus, TestResult, result_of

_LIMITS: dict[EndReason, str] = {
    "wall": "the test command took too long and was stopped",
    "idle": "the test command was silent for too long and was stopped",
    "output": "the test command wrote too much output and was stopped",
}
_NOT_STARTED = frozenset({125, 126, 127})
"""The box was not built, the program is not executable, the program was not found."""
_EXIT_COUNTS_FAILURES = frozenset({"mocha"})
"""Their exit code is the number of failed tests."""
_THRESHOLD = ("not reached", "not met", "does not meet")
_PYTEST_CUT_SHORT = frozenset({2, 3})
"""The rest of the suite did not run, whatever the report says about the start."""
_CONFTEST = "ImportError while loading conftest "
_PYTEST_USAGE = 4
_PYTEST_EXITS = {
    2: "pytest was interrupted",
    3: "pytest had an internal error",
    4: "pytest was called with wrong arguments, or a named test does not exist",
    5: "pytest collected no tests",
}


@dataclass(frozen=True)
class FinishedTestRun:
    """One finished run: how it ended, and what its reports said."""

    runner: str
    reason: EndReason
    exit_code: int
    results: Mapping[str, TestResult]
    problem: str = ""
    """Why the reports could not be used; empty if they could."""
    wanted: Sequence[str] = ()
    """Test ids that had to be seen."""
    output: str = ""
    """What the command printed, at least its end."""


def problem_of_exit(reason: EndReason, exit_code: int) -> str:
    """Why this end says nothing about the tests; empty if it does."""
    if reason != "exit":
        return _LIMITS[reason]
    if exit_code in _NOT_STARTED:
        return f"the test command could not start (exit code {exit_code})"
    if exit_code < 0:
        return f"the test command was killed by signal {-exit_code}"
    return ""


def status_of(seen: FinishedTestRun) -> tuple[CheckStatus, str]:
    """The status, and for `error` why there is no result."""
    counts = seen.runner in _EXIT_COUNTS_FAILURES and "failed" in seen.results.values()
    exit_code = 1 if counts and seen.exit_code in _NOT_STARTED else seen.exit_code
    problem = problem_of_exit(seen.reason, exit_code) or _named_exit(seen) or seen.problem
    if problem:
        return "error", problem
    return _status_of_results(seen)


def _named_exit(seen: FinishedTestRun) -> str:
    """An exit code of pytest that explains more than the report it left."""
    if seen.runner != "pytest":
        return ""
    if seen.exit_code not in _PYTEST_CUT_SHORT and "failed" in seen.results.values():
        return ""
    broken = _broken_conftest(seen.output) if seen.exit_code == _PYTEST_USAGE else ""
    return broken or _PYTEST_EXITS.get(seen.exit_code, "")


def _broken_conftest(output: str) -> str:
    """pytest ends as if it had been called wrongly."""
    lines = output.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith(_CONFTEST)), None)
    if start is None:
        return ""
    file = posixpath.basename(lines[start].removeprefix(_CONFTEST).strip("'. "))
    raised = next((line[1:].strip() for line in lines[start:] if line.startswith("E ")), "")
    return f"{file} could not be imported{f': {raised[:200]}' if raised else ''}"


def _status_of_results(seen: FinishedTestRun) -> tuple[CheckStatus, str]:
    words = set(seen.results.values())
    if not words:
        return "error", "the test report names no test"
    if "failed" in words:
        if seen.exit_code == 0:
            return "error", "the test report names failed tests, but the test command ended with exit code 0"
        return "fail", ""
    if seen.exit_code != 0 and not _is_about_the_rest(seen):
        return "error", f"{_exit_without_failure(seen)}{_threshold(seen.output)}"
    if "passed" not in words:
        return "error", "every test was skipped"
    unseen = [test for test in seen.wanted if result_of(test, seen.results) is None]
    if unseen:
        return "error", f"{len(unseen)} of {len(seen.wanted)} chosen tests were not run, the first is {unseen[0]}"
    return "pass", ""


def _is_about_the_rest(seen: FinishedTestRun) -> bool:
    """Chosen tests all passed, and the command complains all the same.

    A coverage threshold that a few tests cannot reach, or a project without any of the chosen tests: neither says
    anything about the chosen ones. The whole suite must still end with 0.
    """
    return (
        bool(seen.wanted)
        and seen.exit_code == 1
        and all(result_of(test, seen.results) == "passed" for test in seen.wanted)
    )


def _exit_without_failure(seen: FinishedTestRun) -> str:
    return f"the test command ended with exit code {seen.exit_code}, but its report names no failed test"


def _threshold(output: str) -> str:
    """A limit of the runner's own that failed the run."""
    for line in output.splitlines():
        if "overage" in line and any(words in line for words in _THRESHOLD):
            return f"; it says: {line.strip()[:200]}"
    return ""
