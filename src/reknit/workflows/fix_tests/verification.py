"""Runs the tests that a proof needs: the target first, the whole suite, and what turned green without the change."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from reknit.core.checks.honesty import judged
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.events import commit_message, what_ran
from reknit.core.fix_tests.flakiness import ever_passed
from reknit.core.fix_tests.progress import RepairProgress, Try
from reknit.core.fix_tests.proof import (
    RunsAfter,
    explain_half,
    explained,
    first_look,
    not_green,
    prove,
    suspected,
    turned_green,
    unexplained,
    unseen,
)
from reknit.core.gate.verdict import Refusal
from reknit.core.gate.waiver import with_allowed
from reknit.core.runs.attempt import AttemptResult, ProvenAttempt
from reknit.core.runs.question import problem_key
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.runs import LABELS as CHECK_LABELS
from reknit.core.testing.made_runs import MadeRun, made_run, summed
from reknit.core.testing.projects.merge import selectable
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport
from reknit.workflows.fix_tests.flaky_check import LABELS, Run, Sides, flaky_of
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.proofs.halves import halves_of_change
from reknit.workflows.shared.proofs.saved_runs import forget_runs, run_once
from reknit.workflows.shared.tampering.checks import FixToCheck, ask_tamper_checks

_LABELS = ("look", "look-whole", "source", "whole", "again", "without", "head")


def keep_baseline(services: Services, spec: RunSpec, baseline: Baseline) -> Baseline:
    """Saves the ids of a large suite as a document; the checkpoint holds only what decisions need."""
    services.ledger.put_document(spec.run_id, "baseline", CODEC.serialize(baseline))
    return replace(baseline, passing=(), test_files=())


def known_baseline(services: Services, spec: RunSpec) -> Baseline:
    kept: Baseline = CODEC.deserialize(services.ledger.document(spec.run_id, "baseline"))
    return kept


def problem_key_of(services: Services, spec: RunSpec, baseline: Baseline) -> str:
    return problem_key(spec, services.workspace(spec).repository.tree_of(spec.base), baseline.findings)


def candidate(
    services: Services,
    spec: RunSpec,
    move: Try,
    progress: RepairProgress,
    made: AttemptResult,
    proven: ProvenAttempt | None = None,
) -> str:
    """The commit that would land: the whole change on top of the head it was made from."""
    repository = services.workspace(spec).repository
    change = repository.change(progress.head, made.after)
    message = commit_message(move.finding, move.number, spec.run_id, proven.proof.fixed if proven else ())
    message = with_allowed(message, proven.gate.allowed if proven else ())
    return repository.commit(progress.head, change, message, at=made.at)


async def halves_of_attempt(
    services: Services, spec: RunSpec, progress: RepairProgress, made: AttemptResult, baseline: Baseline
) -> tuple[str, str]:
    """Return the commits with its source and with its tests."""
    return await halves_of_change(services, spec, (progress.head, made.after), baseline.test_files, at=made.at)


async def collect_proof(
    services: Services,
    spec: RunSpec,
    move: Try,
    progress: RepairProgress,
    made: AttemptResult,
    baseline: Baseline,
    *,
    advice: Sequence[Refusal] = (),
) -> Proof:
    """If the change adds tests, base's own run without them first: neither may mask the other.

    `advice`: what the gate suspects; it counts where the tamper checks have no verdict.
    """
    targets, fixed_before = move.finding.tests, progress.fixed_tests
    made_runs: list[MadeRun] = []

    async def run(label: str, rev: str, only: Sequence[str] = ()) -> TestReport:
        name, skip = _name(move, label), baseline.not_run
        report, at = await run_once(services, spec, name, rev, only, skip)
        made_runs.append(made_run(what_ran(label, alone=bool(only)), report, at))
        return report

    def timed(proof: Proof) -> Proof:
        return replace(proof, seconds=sum(each.seconds for each in made_runs), ran=summed(made_runs))

    source, bare = await halves_of_attempt(services, spec, progress, made, baseline)
    whole = await asyncio.to_thread(candidate, services, spec, move, progress, made)
    only, has_tests = select_alone(targets, spec, baseline), bare != progress.head
    if looked := first_look(targets, await run("look", source, only)) if only else None:
        return timed(explain_half(looked, await run("look-whole", whole, only)) if has_tests else looked)
    with_fix = [await run("source", source)] if has_tests else []
    with_fix.append(await run("whole", whole))
    if problem := not_green(targets, baseline, fixed_before, with_fix):
        return timed(explain_half(problem, with_fix[-1]))
    chosen = select_alone(turned_green(baseline, fixed_before, with_fix), spec, baseline)
    again = await run("again", whole, chosen)
    if not chosen:
        with_fix.append(again)
    seen = RunsAfter(tuple(with_fix), again, await run("without", bare, chosen))
    flaky = await _not_to_blame(spec, progress, baseline, seen.whole, (source, whole), run)
    if isinstance(flaky, TestReport):
        return timed(unseen(flaky))
    proof = prove(targets, baseline, fixed_before, seen, flaky)
    if proof.word == "unproven" and bare == spec.base:  # green on the very tree it was red on
        proof = replace(proof, flaky=ever_passed(targets, [seen.without]))
    if proof.word == "proven":
        fix = FixToCheck(f"verify-{move.number}", progress.head, source, proof.fixed, targets, seen.without, made.at)
        proof = judged(proof, await ask_tamper_checks(services, spec, fix, run, made_runs.append), advice)
    return timed(proof)


def forget_runs_of_proof(services: Services, spec: RunSpec, move: Try) -> None:
    """The proof has what they showed."""
    forget_runs(services, spec, (_name(move, label) for label in (*_LABELS, *LABELS, *CHECK_LABELS)))


def _name(move: Try, label: str) -> str:
    return f"verify-{move.number}-{label}"


def select_alone(tests: tuple[str, ...], spec: RunSpec, baseline: Baseline) -> tuple[str, ...]:
    """Return the tests if a run of them alone shows what the suite shows; otherwise none, which means all."""
    is_selectable = selectable(tests, spec.projects) == tests
    return tests if is_selectable and not {*tests} & {*baseline.only_in_suite} else ()


async def _not_to_blame(
    spec: RunSpec,
    progress: RepairProgress,
    baseline: Baseline,
    with_fix: Sequence[TestReport],
    commits: tuple[str, str],
    run: Run,
) -> tuple[str, ...] | TestReport:
    """Tests that became red or did not run, but not because of the change; or a run without a result, if that cannot be
    told. `commits`: without its own tests, and whole.

    If there are none, nothing more is run.
    """
    fixed_before, (source, whole) = progress.fixed_tests, commits
    suspects = suspected(baseline, fixed_before, with_fix)
    sides = Sides(whole if set(suspects) & with_fix[-1].failed else source, progress.head)
    alone = [*selectable(suspects, spec.projects)] == suspects
    flaky = await flaky_of(suspects, sides, run, alone=alone)
    if isinstance(flaky, TestReport):
        return flaky
    asked = unexplained(baseline, fixed_before, with_fix, flaky)
    before = await run("head", progress.head, ()) if asked else None
    if before is None or before.status == "error":
        return before or flaky
    return (*flaky, *explained(asked, with_fix, before))
