"""The tests before any change: which are always red, flaky or passing, and when a later run may reuse the result."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.causes.cause import LeftOut, leave_out_suite
from reknit.core.checks.tests import list_suite_only
from reknit.core.finding import Finding
from reknit.core.fix_tests.findings import TreeKnowledge, triage
from reknit.core.fix_tests.flakiness import find_ever_passed
from reknit.core.languages.causes import find_cause_of_no_result
from reknit.core.runs.ending import NO_SUCH_TEST
from reknit.core.testing.command import Evidence
from reknit.core.testing.proof import RunRecord, sum_runs
from reknit.core.testing.report import TestReport, is_requested, is_volatile

BaselineStatus = Literal["red", "green", "unseen", "blocked"]
"""`unseen`: the tests gave no result. `blocked`: only the environment's faults are red."""
RULES = 1
"""Version of the rules for observing base. A remembered baseline of another version is not used."""
_NOTHING_KNOWN = TreeKnowledge()
KEPT_S = 24 * 3600.0
"""Maximum age of a remembered baseline in seconds: not everything a test depends on can be compared."""
WHOLE = "the whole suite, on base"
ALONE = "what is red, alone, on base"


@dataclass(frozen=True)
class Baseline:
    """The results of the test runs on base."""

    status: BaselineStatus
    evidence: Evidence
    findings: tuple[Finding, ...] = ()
    """Findings that this run must repair: always red, and requested if the user named any test."""
    red_elsewhere: tuple[str, ...] = ()
    """Red tests that were not requested: never blamed on a fix."""
    flaky: tuple[str, ...] = ()
    named_flaky: tuple[str, ...] = ()
    """Flaky tests that the user named. No fix of them could be proven."""
    passing: tuple[str, ...] = ()
    """Passing tests, stored as a document of the run; a checkpoint holds only the count."""
    passing_count: int = 0
    test_files: tuple[str, ...] = ()
    """Files with at least one test that ran; stored in the document, like `passing`."""
    runs: int = 0
    seconds: float = 0.0
    why: str = ""
    """Reason for `unseen`."""
    output_tail: str = ""
    """End of the output of the test command, for `unseen`."""
    answered_by: str = ""
    """Id of a run that gave up on the same tree, tests, failures and agents; empty: there is none."""
    left_out: tuple[LeftOut, ...] = ()
    """Tests that the environment broke: never repaired, and never blamed on a fix."""
    doubtful: tuple[str, ...] = ()
    """Ids of findings that may be the environment's fault: one attempt each."""
    doubts: tuple[LeftOut, ...] = ()
    """The tests of these findings, with reasons."""
    not_run: tuple[str, ...] = ()
    """Commands of projects without a result. They are not run again, and are listed in `left_out`."""
    rules: int = 0
    """The version of the rules by which base was observed, see `RULES`."""
    has_requested_tests: bool = False
    """True if the user named the tests."""
    ran: tuple[RunRecord, ...] = ()
    seen_in: str = ""
    """Id of the earlier run that ran the whole suite on this tree. This run repeated only the tests red then."""
    only_in_suite: tuple[str, ...] = ()
    """Tests that alone fail for another reason than in the suite, so that only the whole suite can judge their fix."""


def find_always_red(whole: Sequence[TestReport], alone: Sequence[TestReport] = ()) -> list[str]:
    """Return the tests that are red in every run of the suite and never passed alone."""
    red = sorted(frozenset.intersection(*(report.failed for report in whole)))
    flaky = find_ever_passed(red, [report for report in alone if report.status != "error"])
    return [test for test in red if test not in flaky]


def decide_baseline(
    whole: Sequence[TestReport],
    alone: Sequence[TestReport],
    names: Sequence[str],
    tree: TreeKnowledge = _NOTHING_KNOWN,
) -> Baseline:
    """Decide the baseline from runs of the whole suite on base, and of the red tests `alone`."""
    evidence = whole[0].evidence
    seconds = sum(report.seconds for report in (*whole, *alone))
    unseen = next((report for report in whole if report.status == "error"), None)
    if unseen:
        return _build_unseen(unseen, tree, len(whole), seconds)
    tests = sorted({test for report in whole for test in report.results})
    ran = [test for test in tests if all(report.results.get(test) in ("passed", "failed") for report in whole)]
    absent = [name for name in names if not any(is_requested(test, [name]) for test in ran)]
    if absent:
        similar_ids = difflib.get_close_matches(absent[0], ran, n=1, cutoff=0.5)
        hint = f"; did you mean {similar_ids[0]}?" if similar_ids else ""
        why = f"{NO_SUCH_TEST} {absent[0]!r} ran every time on base{hint}"
        return Baseline("unseen", evidence, runs=len(whole), seconds=seconds, why=why)
    red = find_always_red(whole, alone)
    ever_red = {test for report in whole for test in report.failed}
    flaky = sorted(ever_red - set(red))
    targets = [test for test in red if not names or is_requested(test, names)]
    requested_flaky = [test for test in flaky if not names or is_requested(test, names)]
    passing = tuple(test for test in tests if all(report.results.get(test) == "passed" for report in whole))
    triaged = triage(targets, whole[0], tree)
    unseen_projects = [_leave_out_project(project, tree) for project in whole[0].no_result]
    left_out = (*triaged.left_out, *(entry for entry, _ in unseen_projects))
    is_unknown = bool(requested_flaky) or not all(is_environment for _, is_environment in unseen_projects)
    return Baseline(
        status=_decide_status(bool(triaged.findings), bool(left_out), is_unknown),
        evidence=evidence,
        findings=triaged.findings,
        red_elsewhere=tuple(test for test in red if test not in targets),
        flaky=tuple(flaky),
        named_flaky=tuple(requested_flaky) if names else (),
        passing=passing,
        passing_count=len(passing),
        test_files=whole[0].test_files,
        runs=len(whole) + len(alone),
        seconds=seconds,
        why=_explain_status(requested_flaky, left_out),
        left_out=left_out,
        not_run=tuple(command for command, *_ in whole[0].no_result),
        doubtful=triaged.doubtful,
        doubts=triaged.doubts,
        rules=RULES,
        has_requested_tests=bool(names),
        only_in_suite=list_suite_only(red, whole[0], alone) if alone else (),
    )


def add_unready_projects(baseline: Baseline, unready: Sequence[LeftOut]) -> Baseline:
    """Leave out projects whose tests cannot be run here: without them nothing is known to be green."""
    if not unready:
        return baseline
    status: BaselineStatus = "blocked" if baseline.status == "green" else baseline.status
    left_out = (*baseline.left_out, *unready)
    return replace(baseline, status=status, left_out=left_out, why=baseline.why or _explain_status((), left_out))


def _build_unseen(report: TestReport, tree: TreeKnowledge, runs: int, seconds: float) -> Baseline:
    left_out = leave_out_suite(find_cause_of_no_result(report.why, report.output_tail, tree.facts))
    return Baseline(
        "blocked" if left_out else "unseen",
        report.evidence,
        runs=runs,
        seconds=seconds,
        why=report.why,
        output_tail=report.output_tail[-2000:],
        left_out=left_out,
    )


def _leave_out_project(project: tuple[str, str, str], tree: TreeKnowledge) -> tuple[LeftOut, bool]:
    """Return the project's entry, and True if the environment is known to be the reason."""
    command, why, tail = project
    cause = find_cause_of_no_result(why, tail, tree.facts)
    if cause.verdict == "environment":
        return ((), f"`{command}` gave no result: {cause.sentence}", cause.remedy), True
    return ((), f"`{command}` gave no result: {why}", ""), False


def _explain_status(flaky: Sequence[str], left_out: Sequence[LeftOut]) -> str:
    if flaky and is_volatile(flaky[0]):
        return f"its id is another one in each run on base, so a fix could not be proven: {flaky[0]}"
    if flaky:
        return f"flaky on base, so a fix could not be proven: {', '.join(flaky[:3])}"
    return left_out[0][1] if left_out else ""


def _decide_status(has_red: bool, has_left_out: bool, is_unknown: bool) -> BaselineStatus:
    if has_red:
        return "red"
    if is_unknown:
        return "unseen"
    return "blocked" if has_left_out else "green"


def is_worth_remembering(baseline: Baseline) -> bool:
    """Return True if later runs may use the baseline: no test is missing, flaky or in doubt, and the suite ran once."""
    problems = baseline.left_out or baseline.doubtful or baseline.not_run or baseline.flaky
    whole = _find_whole_run(baseline)
    return baseline.status == "red" and not problems and whole is not None and whole.times == 1


def is_usable(baseline: Baseline, now: float) -> bool:
    """Return True if a remembered baseline follows the current rules and is recent enough."""
    whole = _find_whole_run(baseline)
    return baseline.rules == RULES and whole is not None and 0 <= now - whole.at <= KEPT_S


def find_whole_seconds(baseline: Baseline) -> float:
    """Return the duration of the whole suite; 0.0 if it is not known."""
    whole = _find_whole_run(baseline)
    return whole.seconds if whole else 0.0


def list_red_tests(baseline: Baseline) -> tuple[str, ...]:
    """Return all tests that were red, requested or not."""
    return (*(test for finding in baseline.findings for test in finding.tests), *baseline.red_elsewhere)


def renew_baseline(
    baseline: Baseline, run_id: str, alone: Sequence[TestReport], records: Sequence[RunRecord]
) -> Baseline | None:
    """Return a remembered baseline after new runs of its red tests; None if one of them is not red any more.

    `records`: the records of these runs.
    """
    red = frozenset(list_red_tests(baseline))
    if not alone or not all(red <= report.failed and report.status == "fail" for report in alone):
        return None
    whole = (
        replace(run, what=f"{WHOLE}, in {run_id}", seconds=0.0, times=0) for run in baseline.ran if run.what == WHOLE
    )
    return replace(
        baseline,
        runs=len(alone),
        seconds=sum(report.seconds for report in alone),
        ran=sum_runs((*whole, *records)),
        answered_by="",
        seen_in=run_id,
    )


def _find_whole_run(baseline: Baseline) -> RunRecord | None:
    return next((run for run in baseline.ran if run.what == WHOLE), None)
