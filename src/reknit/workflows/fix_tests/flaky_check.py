"""Runs tests that became red again, with and without the change, before the change is blamed."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from reknit.core.fix_tests.flakiness import (
    ALONE_RUNS,
    Comparison,
    all_flaky,
    blamed,
    is_worth_comparing,
    undecided,
    without_a_result,
)
from reknit.core.testing.report import TestReport

Run = Callable[[str, str, Sequence[str]], Awaitable[TestReport]]
"""(label, revision, tests; empty: all) -> what was seen."""

_RUNS = {"alone": ALONE_RUNS, "again": 1}
LABELS = tuple(
    f"{which}-{side}-{number}" for which in _RUNS for side in ("with", "without") for number in range(_RUNS[which])
)
"""Of all runs that it may make."""


@dataclass(frozen=True)
class Sides:
    with_change: str
    without: str


async def flaky_of(suspects: Sequence[str], sides: Sides, run: Run, *, alone: bool) -> tuple[str, ...] | TestReport:
    """Those that are not the change's fault; or a run without a result, if that cannot be told.

    `alone`: the runner can run single tests.
    """
    if not is_worth_comparing(suspects):
        return ()
    to_blame: list[str] = []
    open_tests = list(suspects)
    if alone:
        seen = await _compare("alone", sides, run, suspects)
        to_blame, open_tests = blamed(suspects, seen), undecided(suspects, seen)
    if open_tests:
        seen = await _compare("again", sides, run, ())
        unseen = without_a_result(seen)
        if unseen and not to_blame:
            return unseen
        to_blame += open_tests if unseen else blamed(open_tests, seen)
    return tuple(test for test in suspects if test not in to_blame)


async def _compare(label: str, sides: Sides, run: Run, only: Sequence[str]) -> Comparison:
    seen = Comparison((), ())
    for number in range(_RUNS[label]):
        with_change = await run(f"{label}-with-{number}", sides.with_change, only)
        without = await run(f"{label}-without-{number}", sides.without, only)
        seen = Comparison((*seen.with_change, with_change), (*seen.without, without))
        if only and all_flaky(only, seen):
            break
    return seen
