"""Which red tests are flaky: before an agent is paid for one, and before a change is blamed for one."""

from collections.abc import Sequence
from dataclasses import dataclass

from reknit.core.testing.report import TestReport

RUNS_ALONE = 5
"""Runs of the red tests alone on base. With the whole run before them, a test red half of the time is wrongly taken for
a finding in 1 of 64 baselines."""
LEAST_ALONE = 2
"""However slow they are."""
SHARE_ALONE = 0.1
"""Of the time of the whole suite: then slow tests are not repeated further."""
QUICK_S = 5.0
"""So much is always worth it."""
RUNS_BEFORE_RETRY = 3
"""Before each further attempt, on what has landed so far."""
RUNS_ALONE_S = 20.0
"""Slow tests are not repeated that often."""
ALONE_RUNS = 6
"""On each side, at most. A test red half of the time is blamed on the change by mistake in 1 of 4,096 comparisons."""
MOST_SUSPECTS = 20
"""If more tests became red at once, the change is to blame."""


@dataclass(frozen=True)
class Comparison:
    """The same tests, run with the change and without it."""

    with_change: tuple[TestReport, ...]
    without: tuple[TestReport, ...]


def may_run_again(runs: Sequence[TestReport], most: int) -> bool:
    """Another run of the red tests alone: it costs less than an agent that cannot repair a flaky one."""
    return len(runs) < most and sum(report.seconds for report in runs) < RUNS_ALONE_S


def may_run_again_on_base(runs: Sequence[TestReport], whole_s: float) -> bool:
    """`whole_s`: what the whole suite takes."""
    used = sum(report.seconds for report in runs)
    most = min(RUNS_ALONE_S, max(QUICK_S, SHARE_ALONE * whole_s))
    return len(runs) < LEAST_ALONE or (len(runs) < RUNS_ALONE and used < most)


def are_seen(tests: Sequence[str], alone: TestReport) -> bool:
    """All of them ran. What did not is no more than once red."""
    return alone.status != "error" and all(alone.result_of(test) in ("passed", "failed") for test in tests)


def ever_passed(tests: Sequence[str], runs: Sequence[TestReport]) -> tuple[str, ...]:
    return tuple(test for test in tests if any(test in report.passed for report in runs))


def runs_before_retry(tests: Sequence[str], runs: Sequence[TestReport]) -> int:
    """How often the tests of a finding are run before another attempt: more often once one of them has passed."""
    return ALONE_RUNS if ever_passed(tests, runs) else RUNS_BEFORE_RETRY


def flaky_before_retry(tests: Sequence[str], runs: Sequence[TestReport], *, on_base: bool) -> tuple[str, ...]:
    """The baseline saw each of them red on base, so there one pass is enough. What passes on a later commit may have
    been repaired by an earlier fix, so it must have been red on that commit too."""
    passed = ever_passed(tests, runs)
    return passed if on_base else tuple(test for test in passed if _both(test, runs))


def is_worth_comparing(suspects: Sequence[str]) -> bool:
    return 0 < len(suspects) <= MOST_SUSPECTS


def blamed(suspects: Sequence[str], seen: Comparison) -> list[str]:
    """Seen in every run with the change and never green, green in every run without it."""
    return [
        test
        for test in suspects
        if _is(test, "passed", seen.without)
        and all(report.status != "error" and report.result_of(test) != "passed" for report in seen.with_change)
    ]


def without_a_result(seen: Comparison) -> TestReport | None:
    """A run that shows nothing clears no test."""
    return next((report for report in (*seen.with_change, *seen.without) if report.status == "error"), None)


def all_flaky(suspects: Sequence[str], seen: Comparison) -> bool:
    """Each was both red and green on the same side: no further run can blame the change."""
    return all(any(_both(test, reports) for reports in (seen.with_change, seen.without)) for test in suspects)


def undecided(suspects: Sequence[str], seen: Comparison) -> list[str]:
    """The same colour every time on both sides: on its own the test does not show what it showed in the suite."""
    return [
        test
        for test in suspects
        if any(_is(test, word, seen.with_change) and _is(test, word, seen.without) for word in ("passed", "failed"))
        or any(report.result_of(test) in (None, "skipped") for report in (*seen.with_change, *seen.without))
    ]


def _is(test: str, word: str, reports: Sequence[TestReport]) -> bool:
    return all(report.result_of(test) == word for report in reports)


def _both(test: str, reports: Sequence[TestReport]) -> bool:
    return {"passed", "failed"} <= {report.result_of(test) for report in reports}
