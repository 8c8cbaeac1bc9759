"""Decides which red tests are flaky, before an agent is paid for one or a change is blamed for one."""

from collections.abc import Sequence
from dataclasses import dataclass

from reknit.core.testing.report import TestReport

RUNS_ALONE = 5
"""Maximum runs of the red tests alone on base. Together with the run of the suite, a test that is red half of the time
is wrongly taken for a finding in 1 of 64 baselines."""
_LEAST_ALONE = 2
"""Minimum runs alone, even if the tests are slow."""
_SHARE_ALONE = 0.1
"""Maximum share of the whole suite's time for runs alone, so that slow tests are not repeated further."""
QUICK_S = 5.0
"""Total seconds of runs alone that are acceptable even after a short suite."""
RUNS_BEFORE_RETRY = 3
"""Runs of a finding's tests before each further attempt, on the commits landed so far."""
RUNS_ALONE_S = 20.0
"""Maximum seconds of runs alone; slow tests are repeated less often."""
ALONE_RUNS = 6
"""Maximum runs with the change, and without it. A test red half of the time is wrongly blamed in 1 of 4,096 cases."""
MAX_SUSPECTS = 20
"""Maximum number of suspects to compare. If more tests became red at once, the change is blamed without runs."""


@dataclass(frozen=True)
class Comparison:
    """Runs of the same tests, with the change and without it."""

    with_change: tuple[TestReport, ...]
    without: tuple[TestReport, ...]


def may_run_again(runs: Sequence[TestReport], most: int) -> bool:
    """Return True if another run of the red tests alone costs less than an agent that cannot repair a flaky one."""
    return len(runs) < most and sum(report.seconds for report in runs) < RUNS_ALONE_S


def may_run_again_on_base(runs: Sequence[TestReport], whole_s: float) -> bool:
    """Return True if another run alone is worth its time. `whole_s`: seconds that the whole suite takes."""
    used = sum(report.seconds for report in runs)
    most = min(RUNS_ALONE_S, max(QUICK_S, _SHARE_ALONE * whole_s))
    return len(runs) < _LEAST_ALONE or (len(runs) < RUNS_ALONE and used < most)


def have_results(tests: Sequence[str], alone: TestReport) -> bool:
    """Return True if all these tests ran."""
    return alone.status != "error" and all(alone.find_result(test) in ("passed", "failed") for test in tests)


def find_ever_passed(tests: Sequence[str], runs: Sequence[TestReport]) -> tuple[str, ...]:
    """Return the tests that passed in any of the runs."""
    return tuple(test for test in tests if any(test in report.passed for report in runs))


def count_runs_before_retry(tests: Sequence[str], runs: Sequence[TestReport]) -> int:
    """Return the number of runs before another attempt: more once a test has passed."""
    return ALONE_RUNS if find_ever_passed(tests, runs) else RUNS_BEFORE_RETRY


def find_flaky_before_retry(tests: Sequence[str], runs: Sequence[TestReport], *, on_base: bool) -> tuple[str, ...]:
    """Return the tests that one of the runs shows to be flaky.

    All tests were red on base, so there one pass is enough. On a later commit an earlier fix may have repaired a test,
    so it must also have been red on that commit.
    """
    passed = find_ever_passed(tests, runs)
    return passed if on_base else tuple(test for test in passed if _is_mixed(test, runs))


def is_worth_comparing(suspects: Sequence[str]) -> bool:
    """Return True if the suspects are few enough to be compared."""
    return 0 < len(suspects) <= MAX_SUSPECTS


def find_blamed(suspects: Sequence[str], comparison: Comparison) -> list[str]:
    """Return tests that never passed with the change, and always passed without it."""
    return [
        test
        for test in suspects
        if _is_always(test, "passed", comparison.without)
        and all(report.status != "error" and report.find_result(test) != "passed" for report in comparison.with_change)
    ]


def find_run_without_result(comparison: Comparison) -> TestReport | None:
    """Return a run without a result, which can clear no test; None if every run has one."""
    return next((report for report in (*comparison.with_change, *comparison.without) if report.status == "error"), None)


def are_all_flaky(suspects: Sequence[str], comparison: Comparison) -> bool:
    """Return True if each test was red and green on the same side: no further run can blame the change."""
    return all(
        any(_is_mixed(test, reports) for reports in (comparison.with_change, comparison.without)) for test in suspects
    )


def find_undecided(suspects: Sequence[str], comparison: Comparison) -> list[str]:
    """Return tests for which the runs alone decide nothing: always the same result on both sides, or no result."""
    return [
        test
        for test in suspects
        if any(
            _is_always(test, word, comparison.with_change) and _is_always(test, word, comparison.without)
            for word in ("passed", "failed")
        )
        or any(
            report.find_result(test) in (None, "skipped") for report in (*comparison.with_change, *comparison.without)
        )
    ]


def _is_always(test: str, word: str, reports: Sequence[TestReport]) -> bool:
    return all(report.find_result(test) == word for report in reports)


def _is_mixed(test: str, reports: Sequence[TestReport]) -> bool:
    return {"passed", "failed"} <= {report.find_result(test) for report in reports}
