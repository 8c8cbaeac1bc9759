"""The state before reknit changes anything: which tests are always red, which are flaky, which pass."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.causes.classify import cause_of_no_result
from reknit.core.causes.left_out import LeftOut, without_result
from reknit.core.checks.tests import only_in_suite
from reknit.core.finding import Finding
from reknit.core.fix_tests.findings import TreeKnowledge, triage
from reknit.core.fix_tests.flakiness import ever_passed
from reknit.core.runs.ending import NO_SUCH_TEST
from reknit.core.testing.command import Evidence
from reknit.core.testing.made_runs import MadeRun
from reknit.core.testing.report import TestReport, is_asked, is_volatile

BaselineStatus = Literal["red", "green", "unseen", "blocked"]
"""`blocked`: what is red, the environment broke."""
RULES = 4
"""Raised when a decision changes: a run that began before must repeat the decisions it made."""
_NOTHING_KNOWN = TreeKnowledge()


@dataclass(frozen=True)
class Baseline:
    status: BaselineStatus
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
    left_out: tuple[LeftOut, ...] = ()
    """Red because of the environment: never repaired, and never blamed on a fix."""
    doubtful: tuple[str, ...] = ()
    """Ids of findings that may be the environment's: one attempt each."""
    doubts: tuple[LeftOut, ...] = ()
    """Their tests, and why."""
    not_run: tuple[str, ...] = ()
    """Commands of projects that gave no result: not run again, and named in `left_out`."""
    rules: int = 0
    """Which decisions apply; 0: before there was a number."""
    named: bool = False
    """The user named the tests."""
    ran: tuple[MadeRun, ...] = ()
    seen_in: str = ""
    """The run that ran the whole suite on the same tree; this one ran only what was red then."""
    only_in_suite: tuple[str, ...] = ()
    """Red, but alone for another reason: a fix of these is judged by runs of the whole suite."""


def always_red(whole: Sequence[TestReport], alone: Sequence[TestReport] = ()) -> list[str]:
    red = sorted(frozenset.intersection(*(report.failed for report in whole)))
    flaky = ever_passed(red, [report for report in alone if report.status != "error"])
    return [test for test in red if test not in flaky]


def settle(
    whole: Sequence[TestReport],
    alone: Sequence[TestReport],
    named: Sequence[str],
    tree: TreeKnowledge = _NOTHING_KNOWN,
) -> Baseline:
    """`whole`: the whole suite on base, several times; `alone`: the red tests again, on their own."""
    evidence = whole[0].evidence
    seconds = sum(report.seconds for report in (*whole, *alone))
    unseen = next((report for report in whole if report.status == "error"), None)
    if unseen:
        return _not_seen(unseen, tree, len(whole), seconds)
    known = sorted({test for report in whole for test in report.results})
    ran = [test for test in known if all(report.results.get(test) in ("passed", "failed") for report in whole)]
    absent = [name for name in named if not any(is_asked(test, [name]) for test in ran)]
    if absent:
        near = difflib.get_close_matches(absent[0], ran, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else ""
        why = f"{NO_SUCH_TEST} {absent[0]!r} ran every time on base{hint}"
        return Baseline("unseen", evidence, runs=len(whole), seconds=seconds, why=why)
    red = always_red(whole, alone)
    ever_red = {test for report in whole for test in report.failed}
    flaky = sorted(ever_red - set(red))
    wanted = [test for test in red if not named or is_asked(test, named)]
    asked_but_flaky = [test for test in flaky if not named or is_asked(test, named)]
    passing = tuple(test for test in known if all(report.results.get(test) == "passed" for report in whole))
    sorted_out = triage(wanted, whole[0], tree)
    unseen_projects = [_without_result(project, tree) for project in whole[0].no_result]
    left_out = (*sorted_out.left_out, *(entry for entry, _ in unseen_projects))
    is_unknown = bool(asked_but_flaky) or not all(is_known for _, is_known in unseen_projects)
    return Baseline(
        status=_status(bool(sorted_out.findings), bool(left_out), is_unknown),
        evidence=evidence,
        findings=sorted_out.findings,
        red_elsewhere=tuple(test for test in red if test not in wanted),
        flaky=tuple(flaky),
        named_flaky=tuple(asked_but_flaky) if named else (),
        passing=passing,
        passing_count=len(passing),
        test_files=whole[0].test_files,
        runs=len(whole) + len(alone),
        seconds=seconds,
        why=_why(asked_but_flaky, left_out),
        left_out=left_out,
        not_run=tuple(command for command, *_ in whole[0].no_result),
        doubtful=sorted_out.doubtful,
        doubts=sorted_out.doubts,
        rules=RULES,
        named=bool(named),
        only_in_suite=only_in_suite(red, whole[0], alone) if alone else (),
    )


def with_unready_projects(baseline: Baseline, unready: Sequence[LeftOut]) -> Baseline:
    """Projects whose tests cannot be run here: without them nothing is known to be green."""
    if not unready:
        return baseline
    status: BaselineStatus = "blocked" if baseline.status == "green" else baseline.status
    left_out = (*baseline.left_out, *unready)
    return replace(baseline, status=status, left_out=left_out, why=baseline.why or _why((), left_out))


def _not_seen(report: TestReport, known: TreeKnowledge, runs: int, seconds: float) -> Baseline:
    left_out = without_result(cause_of_no_result(report.why, report.output_tail, known.facts))
    return Baseline(
        "blocked" if left_out else "unseen",
        report.evidence,
        runs=runs,
        seconds=seconds,
        why=report.why,
        output_tail=report.output_tail[-2000:],
        left_out=left_out,
    )


def _without_result(project: tuple[str, str, str], known: TreeKnowledge) -> tuple[LeftOut, bool]:
    """Why it is left out, and whether the environment is known to be the reason."""
    command, why, tail = project
    cause = cause_of_no_result(why, tail, known.facts)
    if cause.verdict == "environment":
        return ((), f"`{command}` gave no result: {cause.sentence}", cause.remedy), True
    return ((), f"`{command}` gave no result: {why}", ""), False


def _why(flaky: Sequence[str], left_out: Sequence[LeftOut]) -> str:
    if flaky and is_volatile(flaky[0]):
        return f"its id is another one in each run on base, so a fix could not be proven: {flaky[0]}"
    if flaky:
        return f"flaky on base, so a fix could not be proven: {', '.join(flaky[:3])}"
    return left_out[0][1] if left_out else ""


def _status(has_red: bool, has_left_out: bool, is_unknown: bool) -> BaselineStatus:
    if has_red:
        return "red"
    if is_unknown:
        return "unseen"
    return "blocked" if has_left_out else "green"
