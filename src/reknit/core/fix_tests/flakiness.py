"""Which red tests are flaky: before an agent is paid for one, and before a change is blamed for one."""

from collections.abc import Sequence
from dataclasses import dataclass

from reknit.core.testing.report import TestReport

LOOKS = 4
"""Runs of the red tests alone on base. After two whole runs, a test red half of the time passes for a finding in 1 of
64 baselines."""
LOOKS_AGAIN = 3
"""Before each further attempt, on what has landed so far."""
LOOKS_S = 20.0
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


def is_worth_a_look(looks: Sequence[TestReport], most: int) -> bool:
    """Another run of the red tests alone: it costs less than an agent that cannot repair a flaky one."""
    return len(looks) < most and sum(report.seconds for report in looks) < LOOKS_S


def ever_passed(tests: Sequence[str], looks: Sequence[TestReport]) -> tuple[str, ...]:
    return tuple(test for test in tests if any(test in report.passed for report in looks))


def is_worth_comparing(suspects: Sequence[str]) -> bool:
    return 0 < len(suspects) <= MOST_SUSPECTS


def blamed(suspects: Sequence[str], seen: Comparison) -> list[str]:
    """Red in every run with the change, green in every run without it."""
    return [test for test in suspects if _is(test, "failed", seen.with_change) and _is(test, "passed", seen.without)]


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
