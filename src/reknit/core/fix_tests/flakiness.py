"""Whether a change broke a test that became red, or the test is flaky: run again with and without the change."""

from collections.abc import Sequence
from dataclasses import dataclass

from reknit.core.testing.report import TestReport

ALONE_RUNS = 4
"""On each side. A test red half of the time is blamed on the change by mistake in 1 of 256 such comparisons."""
MOST_SUSPECTS = 20
"""If more tests became red at once, the change is to blame."""


@dataclass(frozen=True)
class Comparison:
    """The same tests, run with the change and without it."""

    with_change: tuple[TestReport, ...]
    without: tuple[TestReport, ...]


def is_worth_comparing(suspects: Sequence[str]) -> bool:
    return 0 < len(suspects) <= MOST_SUSPECTS


def blamed(suspects: Sequence[str], seen: Comparison) -> list[str]:
    """Red in every run with the change, green in every run without it."""
    return [test for test in suspects if _is(test, "failed", seen.with_change) and _is(test, "passed", seen.without)]


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
