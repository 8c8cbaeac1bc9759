"""Decides whether an attempt is proven to repair its finding. Only reports of reknit's own test runs count."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from reknit.core.checks.proof import describe_fixed
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.flakiness import is_worth_comparing
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport, find_unmatched, is_part_of
from reknit.core.text.format import join_few


def judge_targets(targets: Sequence[str], report: TestReport) -> Proof | None:
    """Judge the finding's tests alone; None if one passes, so that the whole suite is worth running."""
    if report.status == "error":
        return build_unseen(report)
    if not any(report.find_result(test) == "passed" for test in targets):
        return _build_still_red(targets[0], report)
    return None


@dataclass(frozen=True)
class RunsAfter:
    """The runs after an attempt, each in a fresh tree."""

    whole: tuple[TestReport, ...]
    """The whole suite with the change. If the change adds tests, the first run is without these."""
    again: TestReport
    """The tests that turned green, run once more with the change, because they may be flaky."""
    without: TestReport
    """The tests that turned green, run without the change of the source."""


def prove(
    targets: Sequence[str],
    baseline: Baseline,
    already_fixed: Sequence[str],
    runs: RunsAfter,
    flaky: Sequence[str] = (),
) -> Proof:
    """Prove the fix. One target must turn green; the proof names those that stay red, and they remain to be fixed."""
    with_fix = (*runs.whole, runs.again)
    if problem := find_unfixed(targets, baseline, already_fixed, with_fix):
        return problem
    turned = find_turned_green(baseline, already_fixed, with_fix)
    if blamed := [test for test in find_newly_red(baseline, already_fixed, runs.whole) if test not in flaky]:
        sentence = f"{len(blamed)} test(s) are red that were not before: {join_few(blamed)}"
        return replace(_build_regressed(blamed, runs.whole, sentence), flaky=tuple(flaky))
    if missing := [test for test in find_lost(baseline, already_fixed, runs.whole) if test not in flaky]:
        sentence = f"{len(missing)} test(s) of base no longer ran: {join_few(missing)}"
        return replace(_build_regressed(missing, runs.whole, sentence), flaky=tuple(flaky))
    fixed = tuple(test for test in turned if runs.without.find_result(test) == "failed")
    if problem := _find_unproven(targets, turned, fixed, runs.without):
        return problem
    return _build_proven(targets, turned, fixed, runs.whole, flaky)


def find_unfixed(
    targets: Sequence[str], baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]
) -> Proof | None:
    """Return the problem if no target passes in every run."""
    for report in with_fix:
        if problem := judge_targets(targets, report):
            return problem
    turned = find_turned_green(baseline, already_fixed, with_fix)
    return None if any(test in turned for test in targets) else _build_still_red(targets[0], with_fix[-1])


def _find_unproven(
    targets: Sequence[str], turned: Sequence[str], fixed: Sequence[str], without_fix: TestReport
) -> Proof | None:
    results_without = {without_fix.find_result(test) for test in targets if test in turned}
    if without_fix.status == "error" or not results_without & {"passed", "failed"}:
        return build_unseen(without_fix)
    if any(test in fixed for test in targets):
        return None
    passes = next(test for test in targets if test in turned and without_fix.find_result(test) == "passed")
    return Proof("unproven", f"UNPROVEN: {passes} passes without the fix too", without_fix.evidence)


def _build_proven(
    targets: Sequence[str],
    turned: Sequence[str],
    fixed: tuple[str, ...],
    with_fix: Sequence[TestReport],
    flaky: Sequence[str],
) -> Proof:
    passed = len(with_fix[-1].passed.difference(flaky))
    red = tuple(test for test in targets if test not in fixed)
    notes = [f"{passed} passed", describe_fixed(fixed, turned)]
    notes += [f"still red: {join_few(red)}"] if red else []
    notes += [f"flaky, left out: {join_few(flaky)}"] if flaky else []
    sentence, evidence = "; ".join(notes), with_fix[0].evidence
    return Proof("proven", sentence, evidence, fixed=fixed, still_red=red, passed=passed, flaky=tuple(flaky))


def find_newly_red(baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]) -> list[str]:
    """Return the red tests that were not red or flaky on base."""
    may_be_red = {*_list_red_before(baseline), *baseline.flaky} - {*already_fixed}
    red = {test for report in with_fix for test in _find_new_failures(report, baseline, may_be_red)}
    return sorted(test for test in red if not is_part_of(test, may_be_red))


def _find_new_failures(report: TestReport, baseline: Baseline, may_be_red: Collection[str]) -> list[str]:
    return find_unmatched(report.failed, may_be_red, ran=report.results, others_ran=_list_known_tests(baseline))


def _list_known_tests(baseline: Baseline) -> frozenset[str]:
    return frozenset([*baseline.passing, *_list_red_before(baseline), *baseline.flaky])


def find_suspects(baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]) -> list[str]:
    """Return tests that passed before and are red now, so that they are broken or flaky. New tests are excluded."""
    before = {*baseline.passing, *already_fixed}
    return [test for test in find_newly_red(baseline, already_fixed, with_fix) if test in before]


def find_lost(baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]) -> list[str]:
    """Return tests that passed before and do not pass now: they are skipped, missing or red."""
    must_pass = {*baseline.passing, *already_fixed}
    absent = (
        (test, report)
        for report in with_fix
        for test in find_unmatched(must_pass, report.passed, ran=_list_known_tests(baseline), others_ran=report.results)
    )
    return sorted({test for test, report in absent if report.find_result(test) != "passed"})


def find_unexplained(
    baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport], flaky: Sequence[str]
) -> list[str]:
    """Return tests whose result a run of the suite without the change may explain; empty if the change is to blame.

    The environment may have changed since a remembered baseline. Then too many tests are red to be compared, or tests
    that were skipped before.
    """
    suspects = find_suspects(baseline, already_fixed, with_fix)
    compared = suspects if is_worth_comparing(suspects) else []
    red = [test for test in find_newly_red(baseline, already_fixed, with_fix) if test not in flaky]
    if red and (not baseline.seen_in or any(test in compared for test in red)):
        return []
    return sorted({*red, *find_lost(baseline, already_fixed, with_fix)}.difference(flaky))


def find_explained(tests: Sequence[str], with_fix: Sequence[TestReport], before: TestReport) -> list[str]:
    """Return the tests that also do not pass without the change. `before`: a run without the change."""
    red = {test for report in with_fix for test in report.failed}
    results_before = ((test, before.find_result(test)) for test in tests)
    return [
        test
        for test, result_before in results_before
        if result_before == "failed" or (test not in red and result_before != "passed")
    ]


def find_turned_green(
    baseline: Baseline, already_fixed: Sequence[str], with_fix: Sequence[TestReport]
) -> tuple[str, ...]:
    """Return every requested test that was red and now passes in every run."""
    requested = (test for finding in baseline.findings for test in finding.tests)
    was_red = (test for test in requested if test not in already_fixed)
    return tuple(test for test in was_red if all(report.find_result(test) == "passed" for report in with_fix))


def _list_red_before(baseline: Baseline) -> tuple[str, ...]:
    """Return all red tests of base, also those that the environment broke."""
    requested = (test for finding in baseline.findings for test in finding.tests)
    return (*requested, *baseline.red_elsewhere, *(test for tests, *_ in baseline.left_out for test in tests))


def explain_needed_test_files(problem: Proof, whole: TestReport) -> Proof:
    """Say in the problem that a test needs the change's test files. `whole`: a run with the whole change."""
    explanation = "is green with the whole change, and red without its test files"
    is_green = any(whole.find_result(test) == "passed" for test in problem.still_red)
    return replace(problem, sentence=problem.sentence.replace("is still red", explanation)) if is_green else problem


def build_unseen(report: TestReport) -> Proof:
    """Return the proof for a run without a result."""
    why = report.why or "the test did not run"
    return Proof("unseen", f"the tests gave no result: {why}", report.evidence, output_tail=report.output_tail)


def _build_still_red(target: str, report: TestReport) -> Proof:
    message = report.messages.get(target, "").strip()
    line = message.splitlines()[0] if message else "no message"
    return Proof(
        "still_red",
        f"{target} is still red: {line[:160]}",
        report.evidence,
        still_red=(target,),
        output_tail=message or report.output_tail,
    )


def _build_regressed(tests: Sequence[str], reports: Sequence[TestReport], sentence: str) -> Proof:
    messages = [report.messages[test] for report in reports for test in tests if test in report.messages]
    tail = "\n\n".join(dict.fromkeys(messages))[-4000:] or reports[0].output_tail
    return Proof("regressed", sentence, reports[0].evidence, regressed=tuple(tests), output_tail=tail)
