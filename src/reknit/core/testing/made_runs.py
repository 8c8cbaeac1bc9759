"""Which runs of the tests were made for a result: what was run, when and how often."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.testing.report import TestReport
from reknit.core.text.format import counted, seconds


@dataclass(frozen=True)
class MadeRun:
    """Runs of the same tests on the same tree."""

    what: str
    """For people: `the whole suite with the change`."""
    tests: int
    """How many gave a result; in several runs, the most."""
    seconds: float
    """In all of them."""
    at: float
    """When the last one ended, as a Unix time."""
    times: int = 1
    """0: not run, known from an earlier run."""


def made_run(what: str, report: TestReport, at: float) -> MadeRun:
    return MadeRun(what, len(report.results), round(report.seconds, 2), round(at, 1))


def summed(runs: Iterable[MadeRun]) -> tuple[MadeRun, ...]:
    """One entry for each `what`, in the order of the first of each."""
    together: dict[str, MadeRun] = {}
    for run in runs:
        known = together.get(run.what)
        together[run.what] = run if known is None else _added(known, run)
    return tuple(together.values())


def _added(known: MadeRun, run: MadeRun) -> MadeRun:
    return replace(
        known,
        tests=max(known.tests, run.tests),
        seconds=round(known.seconds + run.seconds, 2),
        at=max(known.at, run.at),
        times=known.times + run.times,
    )


def run_lines(stored: object) -> list[str]:
    """Of the runs that a stored receipt lists; receipts of older releases list none."""
    if not isinstance(stored, Sequence):
        return []
    return [_line(entry) for entry in stored if isinstance(entry, Mapping)]


def _line(entry: Mapping[str, object]) -> str:
    tests, times = int(str(entry["tests"])), int(str(entry["times"]))
    took = seconds(float(str(entry["seconds"])))
    often = "not run again" if times == 0 else f"once, {took}" if times == 1 else f"{times} times, {took}"
    return f"{entry['what']}: {counted(tests, 'test')}, {often}"
