"""Proof for the tests that a fix was asked about, from runs of these tests alone."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from reknit.core.check_answer import answer_text
from reknit.core.checks.honesty import judged
from reknit.core.checks.status import TestsResult
from reknit.core.gate.verdict import Refusal
from reknit.core.tamper_checks.runs import what_checks_ran
from reknit.core.testing.command import Evidence
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport, TestResult, result_of
from reknit.core.text.format import first_few

NOT_ASKED = "no test was asked about, so none was run without the change"

_NO_NAME = re.compile(r"\W+")
_RAN = {
    "again": "what turned green, alone, with the change but not the tests it adds",
    "without": "what turned green, alone, without the change",
}


def what_ran(label: str, *, alone: bool) -> str:
    if of_checks := what_checks_ran(label):
        return of_checks
    ran = _RAN[label.removesuffix("-suite")]
    return ran if alone else ran.replace("what turned green, alone", "the whole suite")


def turned_green(before: TestsResult, after: TestsResult, asked: Collection[str]) -> tuple[str, ...]:
    """Those of the asked tests that were red every time before the change, and passed with it."""
    passing: dict[str, TestResult] = dict.fromkeys(after.passing, "passed")
    red = [finding.subject for finding in before.findings if finding.rule == "test-failed"]
    return tuple(test for test in red if test in asked and result_of(test, passing) == "passed")


def red_tests_named_in(texts: Iterable[str], before: TestsResult) -> tuple[str, ...]:
    """Red tests that a text names, by id or by the last part of it."""
    told = "\n".join(texts)
    words = frozenset(_NO_NAME.split(told))
    red = [finding.subject for finding in before.findings if finding.rule == "test-failed"]
    return tuple(test for test in red if test in told or _own_name(test) in words)


def _own_name(test: str) -> str:
    """`test_total` of `tests/test_shop.py::ShopTest::test_total[1]`."""
    return test.partition("[")[0].rpartition("::")[2]


def red_report(before: TestsResult, tests: Collection[str], evidence: Evidence) -> TestReport:
    """What the run before the change showed of these tests, if they are not run again."""
    found = [finding for finding in before.findings if finding.subject in tests]
    return TestReport(
        "fail",
        evidence,
        results={finding.subject: "failed" for finding in found},
        messages={finding.subject: finding.message for finding in found},
        files={finding.subject: finding.file for finding in found if finding.file},
    )


def prove_asked(turned: Sequence[str], passed: int, again: TestReport | None, without: TestReport) -> Proof:
    """`passed`: tests of the whole suite with the change. `again`: None if the suite was the only run with it."""
    if unseen := next((report for report in (again, without) if report and report.status == "error"), None):
        why = f"the tests gave no result: {unseen.why or 'no reason was given'}"
        return Proof("unseen", why, unseen.evidence, output_tail=unseen.output_tail)
    green = [test for test in turned if again is None or again.result_of(test) == "passed"]
    if again and not green:
        words = again.messages.get(turned[0], again.output_tail)
        said = f"{turned[0]} passed in the whole suite, but not when it ran alone, without the tests of the change"
        return Proof("still_red", said, again.evidence, still_red=tuple(turned), output_tail=words)
    fixed = tuple(test for test in green if without.result_of(test) == "failed")
    if not fixed:
        return Proof("unproven", f"UNPROVEN: {green[0]} is not red without the change", without.evidence)
    said = f"{passed} passed; {len(fixed)} of {len(turned)} green every time, red without the fix"
    return Proof("proven", said, without.evidence, fixed=fixed, passed=passed)


def without_asked(evidence: str, advice: Sequence[Refusal], asked: Sequence[str]) -> Proof:
    """No asked test turned green by name, so nothing shows how the change behaves: advice refuses it."""
    sentence = f"nothing is proven: {first_few([*asked])} did not turn green" if asked else NOT_ASKED
    return judged(Proof("held", sentence, evidence), (), advice)


def why_refused(proof: Proof) -> str:
    """Return why a fix must not land, whatever else it was asked about; empty: it may."""
    if proof.word in ("proven", "held"):
        return ""
    return f"{proof.sentence}\n{proof.output_tail[-1500:]}".strip()


@dataclass(frozen=True)
class ProofText:
    """The lines of a receipt."""

    red_before: str
    green_after: str
    red_without: str
    checks: tuple[str, ...] = ()


def proof_text(proofs: Sequence[Proof], base: str, otherwise: ProofText) -> ProofText:
    """`otherwise`: the lines for a fix without asked tests. One that is not proven says why."""
    if not proofs:
        return otherwise
    fixed = tuple(dict.fromkeys(test for proof in proofs for test in proof.fixed))
    checks = tuple(dict.fromkeys(answer_text(each) for proof in proofs for each in proof.checks))
    if not fixed:
        return replace(otherwise, red_without=proofs[-1].sentence, checks=checks)
    return ProofText(
        red_before=f"{first_few(fixed)} {'was' if len(fixed) == 1 else 'were'} red every time on {base[:7]}",
        green_after="; ".join(proof.sentence for proof in proofs if proof.fixed),
        red_without=f"{len(fixed)} test(s) were red again without the fix",
        checks=checks,
    )
