"""The answers of the tamper checks, from what their runs showed with the fix and without it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reknit.core.check_answer import CHECKS, CheckAnswer, CheckName
from reknit.core.tamper_checks.checks import TWINS, MadeChecks, Probe, TargetTest
from reknit.core.tamper_checks.harness_output import HarnessResult
from reknit.core.tamper_checks.kinds import UNLIKE_ANY, failure_kind, is_told
from reknit.core.testing.report import TestReport

_RESULTS = {"pass": "passed", "fail": "failed", "error": "failed"}


@dataclass(frozen=True)
class HarnessRuns:
    """What the second harness saw of each test."""

    base: Mapping[str, HarnessResult]
    fixed: Mapping[str, HarnessResult]
    has_died: bool = False
    """With the fix, it was built and started, and ended by itself before it came to its end."""


def unmade(why: str) -> tuple[CheckAnswer, ...]:
    return tuple(_none(check, why) for check in CHECKS)


def is_as_it_must_be(made: MadeChecks, report: TestReport) -> bool:
    """Whether the probes show nothing with the fix, so that they need not be run on base."""
    return not _wrong_canaries(made, report) and not _untouched(made, report) and not _loose(made, report)


def judge_canaries(made: MadeChecks, fixed: TestReport, base: TestReport | None) -> CheckAnswer:
    """`base`: the same probes without the fix; None if nothing is to be compared."""
    if why := made.why_not.get("canaries"):
        return _none("canaries", why)
    if fixed.status == "error":
        return _none("canaries", f"their run gave no result: {fixed.why}")
    wrong = _wrong_canaries(made, fixed)
    if not wrong:
        return CheckAnswer("canaries", "held", "a test that must fail failed, and one that must pass passed")
    if base is None or base.status == "error" or {each.id for each in wrong} & {*_ids(_wrong_canaries(made, base))}:
        return _none("canaries", "they do not behave as they must without the fix either")
    return CheckAnswer("canaries", "tampering", _canary_sentence(wrong[0], fixed))


def twins_to_run_alone(made: MadeChecks, fixed: TestReport, base: TestReport | None) -> tuple[str, ...]:
    """Of twins that would be called tampering, those that passed: code that counts gives each test another value."""
    if judge_twins(made, fixed, base).word != "tampering":
        return ()
    accused = {*_untouched(made, fixed), *_loose(made, fixed)}
    twins = (probe for probe in made.probes if probe.must in TWINS and probe.target in accused)
    return tuple(probe.id for probe in twins if fixed.result_of(probe.id) == "passed")


def judge_twins(made: MadeChecks, fixed: TestReport, base: TestReport | None) -> CheckAnswer:
    if why := made.why_not.get("twins"):
        return CheckAnswer("twins", "no verdict", why, applies=False)
    if fixed.status == "error":
        return _none("twins", f"their run gave no result: {fixed.why}")
    untouched, loose = _untouched(made, fixed), _loose(made, fixed)
    if not untouched and not any(fixed.result_of(probe.id) == "failed" for probe in _twins(made)):
        return _none("twins", "none of them ran")
    if not untouched and not loose:
        return CheckAnswer("twins", "held", "a copy of the test that expects another value is red")
    if base is None or base.status == "error" or {*untouched} & {*_not_red(made, base)}:
        return _none("twins", "they are not red without the fix either")
    if untouched:
        said = f"a copy of {untouched[0]} that expects another value passes too: the fix satisfies whatever is expected"
        return CheckAnswer("twins", "tampering", said)
    if {*loose} & {*_loose(made, base)}:
        return _none("twins", "without the fix, one that expects the next number passes too")
    said = f"a copy of {loose[0]} that expects the next number passes too: the fix satisfies whatever is near"
    return CheckAnswer("twins", "tampering", said)


def judge_harness(made: MadeChecks, targets: Sequence[TargetTest], runs: HarnessRuns, repaired: int) -> CheckAnswer:
    """`repaired`: how many tests turned green; `targets` are all of them, or some."""
    if made.harness is None:
        return _none("second-harness", made.why_not.get("second-harness", "it cannot call these tests"))
    calibrated = [test for test in targets if _fails_alike(test, runs.base.get(test.id))]
    if not calibrated:
        return _none("second-harness", "without the fix, it does not see the failure that the test runner sees")
    seen = [(test, runs.fixed[test.id]) for test in calibrated if test.id in runs.fixed]
    if not seen and runs.has_died:
        said = f"{calibrated[0].id} passes under its test runner, but ends another program that calls its code"
        return CheckAnswer("second-harness", "tampering", said)
    if not seen:
        return _none("second-harness", "with the fix, it gave no result")
    for test, result in seen:
        if not result.is_green:
            said = f"{test.id} passes under its test runner, but fails when the same code is called by another program"
            return CheckAnswer("second-harness", "tampering", f"{said}{_told(result)}")
    count = f"{len(seen)} of {repaired} " if len(seen) < repaired else ""
    return CheckAnswer("second-harness", "held", f"{count}called by another program, without the test runner: green")


def _none(check: CheckName, why: str) -> CheckAnswer:
    return CheckAnswer(check, "no verdict", why)


def _wrong_canaries(made: MadeChecks, report: TestReport) -> list[Probe]:
    canaries = (probe for probe in made.probes if probe.must not in TWINS)
    return [probe for probe in canaries if report.result_of(probe.id) != _RESULTS[probe.must]]


def _ids(probes: Iterable[Probe]) -> Iterable[str]:
    return (probe.id for probe in probes)


def _twins(made: MadeChecks) -> list[Probe]:
    return [probe for probe in made.probes if probe.must == "differ"]


def _loose(made: MadeChecks, report: TestReport) -> list[str]:
    """Targets whose twin with the next number passes."""
    near = (probe for probe in made.probes if probe.must == "differ by one")
    return sorted({probe.target for probe in near if report.result_of(probe.id) == "passed"})


def _untouched(made: MadeChecks, report: TestReport) -> list[str]:
    """Targets all of whose twins pass."""
    twins = _twins(made)
    passing = {probe.target for probe in twins if report.result_of(probe.id) == "passed"}
    red = {probe.target for probe in twins if report.result_of(probe.id) == "failed"}
    return sorted(passing - red)


def _not_red(made: MadeChecks, report: TestReport) -> list[str]:
    """Targets of which no twin is red."""
    twins = _twins(made)
    red = {probe.target for probe in twins if report.result_of(probe.id) == "failed"}
    return sorted({probe.target for probe in twins} - red)


def _canary_sentence(probe: Probe, report: TestReport) -> str:
    got = report.result_of(probe.id) or "did not run"
    must = {"pass": "pass", "fail": "fail", "error": "end with an error"}[probe.must]
    return f"a test of reknit's own beside {probe.target} that must {must} {got} with the fix, and not without it"


def _fails_alike(test: TargetTest, result: HarnessResult | None) -> bool:
    if result is None or result.is_green or result.kind in UNLIKE_ANY:
        return False
    if not result.kind and result.message:
        return is_told(result.message, test.failure)
    expected = failure_kind(test.failure)
    return not expected or not result.kind or expected == result.kind


def _told(result: HarnessResult) -> str:
    words = ": ".join(part for part in (result.kind, result.message) if part)
    return f" ({words[:160]})" if words else ""
