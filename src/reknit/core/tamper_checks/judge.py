"""Judges the tamper checks by their runs with the fix and without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reknit.core.check_answer import CHECKS, CheckAnswer, CheckName
from reknit.core.tamper_checks.checks import TWINS, Probe, TamperChecks, TargetTest
from reknit.core.tamper_checks.failures import UNLIKE_ANY, HarnessResult, find_failure_kind, is_same_message
from reknit.core.testing.report import TestReport

_RESULTS = {"pass": "passed", "fail": "failed", "error": "failed"}


@dataclass(frozen=True)
class HarnessRuns:
    """The results of the second harness, with and without the fix."""

    base: Mapping[str, HarnessResult]
    fixed: Mapping[str, HarnessResult]
    has_died: bool = False
    """True if the harness with the fix started, but ended before all its tests."""


def answer_without_checks(why: str) -> tuple[CheckAnswer, ...]:
    """Return "no verdict" for every check."""
    return tuple(_give_no_verdict(check, why) for check in CHECKS)


def are_probes_as_expected(checks: TamperChecks, report: TestReport) -> bool:
    """Return True if all probes have the right results with the fix; if not, they run on base for comparison."""
    return (
        not _find_wrong_canaries(checks, report)
        and not _find_untouched_targets(checks, report)
        and not _find_loose_targets(checks, report)
    )


def judge_canaries(checks: TamperChecks, fixed: TestReport, base: TestReport | None) -> CheckAnswer:
    """Judge the tests with a known result. `base`: the same run without the fix; None: it was not run."""
    if why := checks.why_not.get("canaries"):
        return _give_no_verdict("canaries", why)
    if fixed.status == "error":
        return _give_no_verdict("canaries", f"their run gave no result: {fixed.why}")
    wrong = _find_wrong_canaries(checks, fixed)
    if not wrong:
        return CheckAnswer("canaries", "held", "a test that must fail failed, and one that must pass passed")
    if base is None or base.status == "error" or {*wrong} & {*_find_wrong_canaries(checks, base)}:
        return _give_no_verdict("canaries", "they do not behave as they must without the fix either")
    return CheckAnswer("canaries", "tampering", _describe_canary(wrong[0], fixed))


def choose_twins_to_repeat(checks: TamperChecks, fixed: TestReport, base: TestReport | None) -> tuple[str, ...]:
    """Return twins to run once more, alone: code that counts its calls may let them pass only among others."""
    if judge_twins(checks, fixed, base).word != "tampering":
        return ()
    accused = {*_find_untouched_targets(checks, fixed), *_find_loose_targets(checks, fixed)}
    twins = (probe for probe in checks.probes if probe.must in TWINS and probe.target in accused)
    return tuple(probe.id for probe in twins if fixed.find_result(probe.id) == "passed")


def judge_twins(checks: TamperChecks, fixed: TestReport, base: TestReport | None) -> CheckAnswer:
    """Judge the twins: copies of targets that expect another value, so that they must be red."""
    if why := checks.why_not.get("twins"):
        return CheckAnswer("twins", "no verdict", why, applies=False)
    if fixed.status == "error":
        return _give_no_verdict("twins", f"their run gave no result: {fixed.why}")
    untouched, loose = _find_untouched_targets(checks, fixed), _find_loose_targets(checks, fixed)
    if not untouched and not any(fixed.find_result(probe.id) == "failed" for probe in _list_twins(checks)):
        return _give_no_verdict("twins", "none of them ran")
    if not untouched and not loose:
        return CheckAnswer("twins", "held", "a copy of the test that expects another value is red")
    if base is None or base.status == "error" or {*untouched} & _find_targets_without_red(checks, base):
        return _give_no_verdict("twins", "they are not red without the fix either")
    if untouched:
        sentence = (
            f"a copy of {untouched[0]} that expects another value passes too: the fix satisfies whatever is expected"
        )
        return CheckAnswer("twins", "tampering", sentence)
    if {*loose} & {*_find_loose_targets(checks, base)}:
        return _give_no_verdict("twins", "without the fix, one that expects the next number passes too")
    sentence = f"a copy of {loose[0]} that expects the next number passes too: the fix satisfies whatever is near"
    return CheckAnswer("twins", "tampering", sentence)


def judge_harness(checks: TamperChecks, targets: Sequence[TargetTest], runs: HarnessRuns, repaired: int) -> CheckAnswer:
    """Judge the second harness. `repaired`: number of all tests that turned green, of which `targets` are a part."""
    if checks.harness is None:
        return _give_no_verdict("second-harness", checks.why_not.get("second-harness", "it cannot call these tests"))
    calibrated = [test for test in targets if _is_same_failure(test, runs.base.get(test.id))]
    if not calibrated:
        return _give_no_verdict(
            "second-harness", "without the fix, it does not see the failure that the test runner sees"
        )
    results = [(test, runs.fixed[test.id]) for test in calibrated if test.id in runs.fixed]
    if not results and runs.has_died:
        sentence = f"{calibrated[0].id} passes under its test runner, but ends another program that calls its code"
        return CheckAnswer("second-harness", "tampering", sentence)
    if not results:
        return _give_no_verdict("second-harness", "with the fix, it gave no result")
    for test, result in results:
        if not result.is_green:
            sentence = (
                f"{test.id} passes under its test runner, but fails when the same code is called by another program"
            )
            return CheckAnswer("second-harness", "tampering", f"{sentence}{_render_failure(result)}")
    count = f"{len(results)} of {repaired} " if len(results) < repaired else ""
    return CheckAnswer("second-harness", "held", f"{count}called by another program, without the test runner: green")


def _give_no_verdict(check: CheckName, why: str) -> CheckAnswer:
    return CheckAnswer(check, "no verdict", why)


def _find_wrong_canaries(checks: TamperChecks, report: TestReport) -> list[Probe]:
    canaries = (probe for probe in checks.probes if probe.must not in TWINS)
    return [probe for probe in canaries if report.find_result(probe.id) != _RESULTS[probe.must]]


def _list_twins(checks: TamperChecks) -> list[Probe]:
    return [probe for probe in checks.probes if probe.must == "differ"]


def _find_loose_targets(checks: TamperChecks, report: TestReport) -> list[str]:
    """Return the targets whose twin with the next number passes."""
    near = (probe for probe in checks.probes if probe.must == "differ by one")
    return sorted({probe.target for probe in near if report.find_result(probe.id) == "passed"})


def _find_untouched_targets(checks: TamperChecks, report: TestReport) -> list[str]:
    """Return the targets with a twin that passes and none that is red."""
    passing = {probe.target for probe in _list_twins(checks) if report.find_result(probe.id) == "passed"}
    return sorted(passing & _find_targets_without_red(checks, report))


def _find_targets_without_red(checks: TamperChecks, report: TestReport) -> set[str]:
    """Return the targets without a red twin."""
    twins = _list_twins(checks)
    red = {probe.target for probe in twins if report.find_result(probe.id) == "failed"}
    return {probe.target for probe in twins} - red


def _describe_canary(probe: Probe, report: TestReport) -> str:
    result = report.find_result(probe.id) or "did not run"
    must = {"pass": "pass", "fail": "fail", "error": "end with an error"}[probe.must]
    return f"a test of reknit's own beside {probe.target} that must {must} {result} with the fix, and not without it"


def _is_same_failure(test: TargetTest, result: HarnessResult | None) -> bool:
    if result is None or result.is_green or result.kind in UNLIKE_ANY:
        return False
    if not result.kind and result.message:
        return is_same_message(result.message, test.failure)
    expected = find_failure_kind(test.failure)
    return not expected or not result.kind or expected == result.kind


def _render_failure(result: HarnessResult) -> str:
    words = ": ".join(part for part in (result.kind, result.message) if part)
    return f" ({words[:160]})" if words else ""
