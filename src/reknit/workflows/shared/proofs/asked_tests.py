"""Runs the tests that a fix was asked about once more: with the change, without it, and under the tamper checks."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reknit.core.checks.asked_tests import prove_asked, red_report, turned_green, what_ran, without_asked
from reknit.core.checks.honesty import judged
from reknit.core.checks.status import TestsResult
from reknit.core.gate.verdict import Refusal
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.runs import LABELS
from reknit.core.testing.made_runs import MadeRun, made_run, summed
from reknit.core.testing.projects.merge import selectable
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.proofs.halves import half_of_change
from reknit.workflows.shared.proofs.saved_runs import forget_runs, run_once
from reknit.workflows.shared.saved_values import load_value, save_value
from reknit.workflows.shared.tampering.checks import FixToCheck, ask_tamper_checks

_LABELS = ("again", "without", *LABELS)


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


async def prove_asked_tests(services: Services, spec: RunSpec, fix: AskedFix, advice: Sequence[Refusal]) -> Proof:
    """The proof is saved for the receipt. `advice`: what the gate suspects; it refuses if no check shows otherwise."""
    turned = turned_green(fix.before, fix.after, fix.asked)
    proof = await _proven(services, spec, fix, turned, advice) if turned else without_asked(spec.evidence, advice)
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

    async def half(*, keep_tests: bool) -> str:
        sides = (fix.base, fix.commit)
        return await asyncio.to_thread(half_of_change, services, spec, sides, at=fix.at, keep_tests=keep_tests)

    source, bare = await half(keep_tests=False), await half(keep_tests=True)
    alone = turned if selectable(turned, spec.projects) == turned else ()
    # A suite that runs only as a whole is not run again for what its runs have shown already.
    again = await run("again", source, alone) if alone or bare != fix.base else None
    known = not alone and bare == fix.base
    without = red_report(fix.before, turned, spec.evidence) if known else await run("without", bare, alone)
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
