"""Runs the tests that a fix was asked about once more: with the change, without it, and under the tamper checks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reknit.core.checks.asked_tests import (
    prove_asked,
    red_report,
    red_tests_named_in,
    turned_green,
    what_ran,
    without_asked,
)
from reknit.core.checks.honesty import judged
from reknit.core.checks.status import TestsResult
from reknit.core.checks.tests import only_in_suite
from reknit.core.gate.verdict import Refusal
from reknit.core.runs import attempt_events
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.runs import LABELS
from reknit.core.testing.made_runs import MadeRun, made_run, summed
from reknit.core.testing.projects.merge import selectable
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.proofs.halves import halves_of_change
from reknit.workflows.shared.proofs.saved_runs import forget_runs, run_once
from reknit.workflows.shared.saved_values import load_value, save_value
from reknit.workflows.shared.tampering.checks import FixToCheck, ask_tamper_checks
from reknit.workflows.shared.tests_check import known_tests

_LABELS = ("again", "without", "without-suite", *LABELS)


@dataclass(frozen=True)
class AskedFix:
    """A commit on which the whole suite held, and the one it is based on."""

    name: str
    """Under which its proof is saved."""
    base: str
    commit: str
    at: float
    """When the change was made."""
    before: TestsResult
    after: TestsResult
    asked: tuple[str, ...]
    """Tests that it was to turn green."""


def red_tests_named(services: Services, spec: RunSpec, head: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the tests that are red on `head` and that a text names."""
    before = known_tests(services, spec, head)
    return red_tests_named_in(texts, before) if before else ()


async def prove_named_tests(
    services: Services,
    spec: RunSpec,
    number: int,
    commits: tuple[str, str, float],
    texts: Sequence[str],
    advice: Sequence[Refusal],
) -> Proof | None:
    """Prove the red tests that findings name; None if there are none. `commits`: head, the fix on it, and its time."""
    head, commit, at = commits
    before, after = (known_tests(services, spec, each, number) for each in (head, commit))
    asked = red_tests_named(services, spec, head, texts)
    if not asked or before is None or after is None:
        return None
    fix = AskedFix(f"attempt-{number}", head, commit, at, before, after, asked)
    proof = await prove_asked_tests(services, spec, fix, advice)
    services.ledger.event(spec.run_id, f"attempt-{number}-proof", attempt_events.proof_said(number, proof))
    return proof


async def prove_asked_tests(services: Services, spec: RunSpec, fix: AskedFix, advice: Sequence[Refusal]) -> Proof:
    """The proof is saved for the receipt. `advice`: what the gate suspects; it refuses if no check shows otherwise."""
    turned = turned_green(fix.before, fix.after, fix.asked)
    if turned:
        proof = await _proven(services, spec, fix, turned, advice)
    else:
        proof = without_asked(spec.evidence, advice, fix.asked)
    return save_value(services, spec, _document(fix.name), proof)


def proof_of_asked_tests(services: Services, spec: RunSpec, name: str) -> tuple[Proof, ...]:
    """Empty if the fix was asked about no test, or an older release proved it."""
    found = load_value(services, spec, _document(name))
    return (found,) if isinstance(found, Proof) else ()


async def _proven(
    services: Services, spec: RunSpec, fix: AskedFix, turned: tuple[str, ...], advice: Sequence[Refusal]
) -> Proof:
    runs: list[MadeRun] = []

    async def run(label: str, rev: str, only: Sequence[str]) -> TestReport:
        report, at = await run_once(services, spec, _name(fix, label), rev, only)
        runs.append(made_run(what_ran(label, alone=bool(only)), report, at))
        return report

    sides = (fix.base, fix.commit)
    source, bare = await halves_of_change(services, spec, sides, fix.before.test_files, at=fix.at)
    alone = turned if selectable(turned, spec.projects) == turned else ()
    red = red_report(fix.before, turned, spec.evidence)
    without = await run("without", bare, alone) if alone else red
    if without.status != "error" and only_in_suite(turned, red, [without]):
        alone = ()
    # A suite that runs only as a whole is not run again for what its runs have shown already.
    again = await run("again", source, alone) if alone or bare != fix.base else None
    if not alone:
        without = red if bare == fix.base else await run("without-suite", bare, ())
    proof = prove_asked(turned, fix.after.passed, again, without)
    if proof.word == "proven":
        checked = FixToCheck(_name(fix, "checks"), fix.base, source, proof.fixed, proof.fixed, without, fix.at)
        proof = judged(proof, await ask_tamper_checks(services, spec, checked, run, runs.append), advice)
    elif proof.word == "unproven":
        proof = judged(proof, (), advice)
    forget_runs(services, spec, (_name(fix, label) for label in _LABELS))
    return replace(proof, seconds=sum(each.seconds for each in runs), ran=summed(runs))


def _name(fix: AskedFix, label: str) -> str:
    return f"asked-{fix.commit[:12]}-{label}"


def _document(name: str) -> str:
    return f"asked-proof-{name}"
