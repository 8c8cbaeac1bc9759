"""Proof that a fix may land: the tamper checks, the gate's advice, and the asked tests.

Asked tests are the red tests that a fix was asked to turn green; each is also run without the change.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from reknit.core.check_answer import CheckAnswer, find_tampering, has_held, render_answer, shows_harmless
from reknit.core.checks.status import TestsResult
from reknit.core.gate.verdict import GateVerdict, Refusal, refuse_advised
from reknit.core.tamper_checks.checks import describe_check_run
from reknit.core.testing.command import Evidence
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import WHOLE_SUITE, TestReport, TestResult, find_result
from reknit.core.text.format import join_few

_TAMPERING = "tampering seen by the check "
UNPROVEN_BY_EXIT_CODE = "UNPROVEN by exit code"


def is_by_exit_code(tests: Sequence[str]) -> bool:
    """Return True if a test stands for a whole suite that reports only its exit code."""
    return any(test.endswith(WHOLE_SUITE) for test in tests)


def judge_proof(proof: Proof, answers: tuple[CheckAnswer, ...], advice: Sequence[Refusal]) -> Proof:
    """Refuse a fix that a check shows to be tampering, or that `advice` suspects and no check clears."""
    proof = replace(proof, checks=answers)
    if tampering_answer := find_tampering(answers):
        return _refuse(proof, f"{_TAMPERING}{tampering_answer.check}: {tampering_answer.sentence}")
    if is_by_exit_code(proof.fixed) and not has_held("canaries", answers):
        why = next((answer.sentence for answer in answers if answer.check == "canaries"), "nothing shows a failure")
        return replace(proof, word="unproven", sentence=f"{UNPROVEN_BY_EXIT_CODE}: {why}", fixed=())
    if suspicions := [refusal for refusal in advice if not shows_harmless(refusal.rule, answers)]:
        first = suspicions[0]
        more = f" (and {len(suspicions) - 1} more)" if len(suspicions) > 1 else ""
        sentence = f"refused [{first.rule}]: {first.sentence}{more}; no check could show that it is harmless"
        return _refuse(proof, sentence)
    return proof


def refuse_by_advice(gate: GateVerdict, proof: Proof | None) -> GateVerdict:
    """Return the verdict with the advice that counted against the fix as refusals."""
    if proof is None or proof.word != "refused" or find_tampering(proof.checks):
        return gate
    harmless = tuple(refusal for refusal in gate.advice if shows_harmless(refusal.rule, proof.checks))
    suspicions = tuple(refusal for refusal in gate.advice if refusal not in harmless)
    return replace(refuse_advised(replace(gate, advice=suspicions)), advice=harmless)


def explain_refusal(sentence: str) -> str:
    """Return the ending's reason for a run whose last change was refused although its tests are green."""
    check = sentence.removeprefix(_TAMPERING).partition(":")[0] if sentence.startswith(_TAMPERING) else ""
    more = f" (`reknit explain {check}`)" if check else ""
    return f"the last one turned its tests green, but was refused{more}: {sentence.removeprefix('refused ')}"


def _refuse(proof: Proof, sentence: str) -> Proof:
    return replace(proof, word="refused", sentence=sentence, fixed=(), still_red=())


NOT_ASKED = "no test was asked about, so none was run without the change"

_NON_WORD_CHARS = re.compile(r"\W+")
_RUN_DESCRIPTIONS = {
    "again": "what turned green, alone, with the change but not the tests it adds",
    "without": "what turned green, alone, without the change",
}


def describe_asked_run(label: str, *, alone: bool) -> str:
    """Describe a run of the asked tests, for the list of test runs."""
    if check_description := describe_check_run(label):
        return check_description
    description = _RUN_DESCRIPTIONS[label.removesuffix("-suite")]
    return description if alone else description.replace("what turned green, alone", "the whole suite")


def select_turned_green(before: TestsResult, after: TestsResult, tests: Collection[str]) -> tuple[str, ...]:
    """Return the asked tests that failed every time before the change and passed with it."""
    passing: dict[str, TestResult] = dict.fromkeys(after.passing, "passed")
    red = [finding.subject for finding in before.findings if finding.rule == "test-failed"]
    return tuple(test for test in red if test in tests and find_result(test, passing) == "passed")


def find_named_red_tests(texts: Iterable[str], before: TestsResult) -> tuple[str, ...]:
    """Return the red tests that a text names, by their id or its last part."""
    text = "\n".join(texts)
    words = frozenset(_NON_WORD_CHARS.split(text))
    red = [finding.subject for finding in before.findings if finding.rule == "test-failed"]
    return tuple(test for test in red if test in text or _get_own_name(test) in words)


def _get_own_name(test: str) -> str:
    """Return `test_total` for `tests/test_shop.py::ShopTest::test_total[1]`."""
    return test.partition("[")[0].rpartition("::")[2]


def make_red_report(before: TestsResult, tests: Collection[str], evidence: Evidence) -> TestReport:
    """Return the results that these tests had before the change, if they do not run again."""
    findings = [finding for finding in before.findings if finding.subject in tests]
    return TestReport(
        "fail",
        evidence,
        results={finding.subject: "failed" for finding in findings},
        messages={finding.subject: finding.message for finding in findings},
        files={finding.subject: finding.file for finding in findings if finding.file},
    )


def prove_asked_tests(green_tests: Sequence[str], passed: int, again: TestReport | None, without: TestReport) -> Proof:
    """Prove a fix by the asked tests that turned green. `passed`: number of all tests that pass with the change."""
    if failed_run := next((report for report in (again, without) if report and report.status == "error"), None):
        why = f"the tests gave no result: {failed_run.why or 'no reason was given'}"
        return Proof("unseen", why, failed_run.evidence, output_tail=failed_run.output_tail)
    steady_tests = [test for test in green_tests if again is None or again.find_result(test) == "passed"]
    if again and not steady_tests:
        output = again.messages.get(green_tests[0], again.output_tail)
        sentence = (
            f"{green_tests[0]} passed in the whole suite, but not when it ran alone, without the tests of the change"
        )
        return Proof("still_red", sentence, again.evidence, still_red=tuple(green_tests), output_tail=output)
    fixed = tuple(test for test in steady_tests if without.find_result(test) == "failed")
    if not fixed:
        return Proof("unproven", f"UNPROVEN: {steady_tests[0]} is not red without the change", without.evidence)
    sentence = f"{passed} passed; {describe_fixed(fixed, green_tests)}"
    return Proof("proven", sentence, without.evidence, fixed=fixed, passed=passed)


def describe_fixed(fixed: Sequence[str], green: Sequence[str]) -> str:
    """Return how many of the tests that turned green are proven, and by what."""
    share = "" if len(fixed) == len(green) else f" of {len(green)}"
    return f"{len(fixed)}{share} fixed: green every time, red again without the change"


def judge_without_asked_tests(evidence: str, advice: Sequence[Refusal], tests: Sequence[str]) -> Proof:
    """Judge a fix for which no asked test turned green by name: any advice refuses it."""
    sentence = f"nothing is proven: {join_few([*tests])} did not turn green" if tests else NOT_ASKED
    return judge_proof(Proof("held", sentence, evidence), (), advice)


def explain_refused_proof(proof: Proof) -> str:
    """Return why a fix must not land; empty: it may."""
    if proof.word in ("proven", "held"):
        return ""
    return f"{proof.sentence}\n{proof.output_tail[-1500:]}".strip()


@dataclass(frozen=True)
class ProofText:
    """Lines about the proof in a receipt."""

    red_before: str
    green_after: str
    red_without: str
    checks: tuple[str, ...] = ()


def render_proof(proofs: Sequence[Proof], base: str, otherwise: ProofText) -> ProofText:
    """Return the lines of a receipt. `otherwise`: the lines for a fix without asked tests."""
    if not proofs:
        return otherwise
    fixed = tuple(dict.fromkeys(test for proof in proofs for test in proof.fixed))
    checks = tuple(dict.fromkeys(render_answer(check) for proof in proofs for check in proof.checks))
    if not fixed:
        return replace(otherwise, red_without=proofs[-1].sentence, checks=checks)
    return ProofText(
        red_before=f"{join_few(fixed)} {'was' if len(fixed) == 1 else 'were'} red every time on {base[:7]}",
        green_after="; ".join(proof.sentence for proof in proofs if proof.fixed),
        red_without=f"{len(fixed)} test(s) were red again without the fix",
        checks=checks,
    )
