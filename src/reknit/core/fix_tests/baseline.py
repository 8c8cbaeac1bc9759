"""The state before reknit changes anything: which tests are always red, which are flaky, which pass."""

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.finding import Finding
from reknit.core.testing.command import Evidence
from reknit.core.testing.report import TestReport


@dataclass(frozen=True)
class Baseline:
    status: Literal["red", "green", "unseen"]
    evidence: Evidence
    findings: tuple[Finding, ...] = ()
    """What this run must repair: always red, and named by the user if any test was named."""
    red_elsewhere: tuple[str, ...] = ()
    """Also red, but not asked for: never blamed on a fix."""
    flaky: tuple[str, ...] = ()
    named_flaky: tuple[str, ...] = ()
    """Flaky and named by the user: asked for, but a fix could not be proven."""
    passing: tuple[str, ...] = ()
    """Stored as a document of the run; a checkpoint holds only the count."""
    passing_count: int = 0
    test_files: tuple[str, ...] = ()
    """Every file in which a test was seen; stored in the document, like `passing`."""
    runs: int = 0
    seconds: float = 0.0
    why: str = ""
    """For `unseen`: why there is no result."""
    output_tail: str = ""
    """For `unseen`: the end of what the test command printed."""
    answered_by: str = ""
    """A run that already gave up on exactly this: same tree, tests, failures and agents."""


def is_named(test: str, named: Collection[str]) -> bool:
    """A name is a test id, or the file, class or unparametrised test it belongs to."""
    return any(test == name or test.startswith((f"{name}::", f"{name}[")) for name in named)


def settle(whole: Sequence[TestReport], alone: TestReport | None, named: Sequence[str]) -> Baseline:
    """`whole`: the whole suite on base, several times; `alone`: the red tests once more, on their own."""
    evidence = whole[0].evidence
    seconds = sum(report.seconds for report in (*whole, *([alone] if alone else [])))
    unseen = next((report for report in whole if report.status == "error"), None)
    if unseen:
        tail = unseen.output_tail[-2000:]
        return Baseline("unseen", evidence, runs=len(whole), seconds=seconds, why=unseen.why, output_tail=tail)
    known = sorted({test for report in whole for test in report.results})
    ran = [test for test in known if all(report.results.get(test) in ("passed", "failed") for report in whole)]
    absent = [name for name in named if not any(is_named(test, [name]) for test in ran)]
    if absent:
        near = difflib.get_close_matches(absent[0], ran, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else ""
        why = f"no test {absent[0]!r} ran every time on base{hint}"
        return Baseline("unseen", evidence, runs=len(whole), seconds=seconds, why=why)
    red = sorted(frozenset.intersection(*(report.failed for report in whole)))
    if alone and alone.status != "error":
        red = [test for test in red if test not in alone.passed]
    ever_red = {test for report in whole for test in report.failed}
    flaky = sorted(ever_red - set(red))
    wanted = [test for test in red if not named or is_named(test, named)]
    asked_but_flaky = [test for test in flaky if not named or is_named(test, named)]
    passing = tuple(test for test in known if all(report.results.get(test) == "passed" for report in whole))
    findings = tuple(_finding(number, test, whole[0]) for number, test in enumerate(wanted, 1))
    return Baseline(
        status=_status(bool(findings), bool(asked_but_flaky)),
        evidence=evidence,
        findings=findings,
        red_elsewhere=tuple(test for test in red if test not in wanted),
        flaky=tuple(flaky),
        named_flaky=tuple(asked_but_flaky) if named else (),
        passing=passing,
        passing_count=len(passing),
        test_files=tuple(sorted({file for test, file in whole[0].files.items() if not _is_in_source(test, file)})),
        runs=len(whole) + (alone is not None),
        seconds=seconds,
        why=f"flaky on base, so a fix could not be proven: {', '.join(asked_but_flaky[:3])}" if asked_but_flaky else "",
    )


def _is_in_source(test: str, file: str) -> bool:
    """A doctest or a Rust test: it is in the very file that a fix must be able to change."""
    name = test.rsplit("::", 1)[-1].partition("[")[0]
    return file.endswith(".rs") or (file.endswith(".py") and "." in name)


def _status(has_red: bool, has_flaky: bool) -> Literal["red", "green", "unseen"]:
    if has_red:
        return "red"
    return "unseen" if has_flaky else "green"


def _finding(number: int, test: str, report: TestReport) -> Finding:
    return Finding(
        id=f"T-{number}",
        source="tests",
        rule="test-failed",
        subject=test,
        file=report.files.get(test, ""),
        message=report.messages.get(test, report.output_tail[-2000:]),
    )
