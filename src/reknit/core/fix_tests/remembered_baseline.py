"""What an earlier run saw on the same tree: enough to run only what was red, and never a reason to call it green."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.fix_tests.baseline import RULES, Baseline
from reknit.core.testing.made_runs import MadeRun, summed
from reknit.core.testing.report import TestReport

KEPT_S = 24 * 3600.0
"""What a run saw longer ago is not used: not everything a test depends on can be compared."""
WHOLE = "the whole suite, on base"
ALONE = "what is red, alone, on base"


def is_worth_remembering(baseline: Baseline) -> bool:
    """Red, every red test was also run alone, and nothing was missing, flaky or in doubt."""
    in_doubt = baseline.left_out or baseline.doubtful or baseline.not_run or baseline.flaky
    whole = _whole(baseline)
    return baseline.status == "red" and not in_doubt and whole is not None and whole.times == 1


def is_usable(known: Baseline, now: float) -> bool:
    whole = _whole(known)
    return known.rules == RULES and whole is not None and 0 <= now - whole.at <= KEPT_S


def whole_seconds(known: Baseline) -> float:
    whole = _whole(known)
    return whole.seconds if whole else 0.0


def red_tests(known: Baseline) -> tuple[str, ...]:
    return (*(test for finding in known.findings for test in finding.tests), *known.red_elsewhere)


def seen_again(known: Baseline, run_id: str, alone: Sequence[TestReport], made: Sequence[MadeRun]) -> Baseline | None:
    """None if anything that was red is not red in each of these runs: then something has changed since.

    `made`: when they were.
    """
    red = frozenset(red_tests(known))
    if not alone or not all(red <= report.failed and report.status == "fail" for report in alone):
        return None
    whole = (replace(run, what=f"{WHOLE}, in {run_id}", seconds=0.0, times=0) for run in known.ran if run.what == WHOLE)
    return replace(
        known,
        runs=len(alone),
        seconds=sum(report.seconds for report in alone),
        ran=summed((*whole, *made)),
        answered_by="",
        seen_in=run_id,
    )


def _whole(baseline: Baseline) -> MadeRun | None:
    return next((run for run in baseline.ran if run.what == WHOLE), None)
