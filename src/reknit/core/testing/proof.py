"""The proof that test runs give after an attempt, and the record of these runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.check_answer import CheckAnswer
from reknit.core.testing.report import TestReport
from reknit.core.text.format import format_seconds, pluralize

ProofWord = Literal["proven", "held", "unproven", "still_red", "regressed", "unseen", "refused"]
"""`held`: no test became red, but no test covers the request. `refused`: the tests pass only by tampering."""


@dataclass(frozen=True)
class RunRecord:
    """Runs of the same tests on the same tree."""

    what: str
    """Description for people: `the whole suite with the change`."""
    tests: int
    """Number of tests with a result; the largest number if there were several runs."""
    seconds: float
    """Duration of all these runs together."""
    at: float
    """End of the last run, as a Unix time."""
    times: int = 1
    """Number of runs; 0: known from an earlier run of reknit."""


def record_run(description: str, report: TestReport, at: float) -> RunRecord:
    """Return the record of one run that ended `at` this Unix time."""
    return RunRecord(description, len(report.results), round(report.seconds, 2), round(at, 1))


def sum_runs(runs: Iterable[RunRecord]) -> tuple[RunRecord, ...]:
    """Return one record for each description, in the order of their first runs."""
    totals: dict[str, RunRecord] = {}
    for run in runs:
        earlier = totals.get(run.what)
        totals[run.what] = run if earlier is None else _add_run(earlier, run)
    return tuple(totals.values())


def _add_run(earlier: RunRecord, run: RunRecord) -> RunRecord:
    return replace(
        earlier,
        tests=max(earlier.tests, run.tests),
        seconds=round(earlier.seconds + run.seconds, 2),
        at=max(earlier.at, run.at),
        times=earlier.times + run.times,
    )


def render_runs(stored: object) -> list[str]:
    """Render the runs that a stored receipt lists; empty if it lists none."""
    if not isinstance(stored, Sequence):
        return []
    return [_render_run(entry) for entry in stored if isinstance(entry, Mapping)]


def _render_run(entry: Mapping[str, object]) -> str:
    tests, times = int(str(entry["tests"])), int(str(entry["times"]))
    took = format_seconds(float(str(entry["seconds"])))
    often = "not run again" if times == 0 else f"once, {took}" if times == 1 else f"{times} times, {took}"
    return f"{entry['what']}: {pluralize(tests, 'test')}, {often}"


@dataclass(frozen=True)
class Proof:
    """The result of reknit's own test runs after an attempt."""

    word: ProofWord
    sentence: str
    evidence: str
    """`junit` or `exit code`."""
    fixed: tuple[str, ...] = ()
    """Test ids that were red at base and have now passed twice."""
    still_red: tuple[str, ...] = ()
    regressed: tuple[str, ...] = ()
    passed: int = 0
    output_tail: str = ""
    seconds: float = 0.0
    remembered: bool = False
    """True if an earlier attempt left the same tree, so the tests did not run again."""
    flaky: tuple[str, ...] = ()
    """Tests that became red, but not because of the change; they do not count."""
    ran: tuple[RunRecord, ...] = ()
    checks: tuple[CheckAnswer, ...] = ()
    """Answers of the tamper checks."""
    holdout: str = ""
    """Result of the hold-out cases, or why there are none; empty if no hold-out was due."""
