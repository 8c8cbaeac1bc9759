"""Runs the tests that a proof needs: the candidate twice, and once without its source change."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.decision import RepairProgress, Try
from reknit.core.fix_tests.events import commit_message
from reknit.core.fix_tests.flakiness import ever_passed
from reknit.core.fix_tests.proof import first_look, prove, suspected, turned_green
from reknit.core.repository.change import Change
from reknit.core.repository.paths import is_test_file
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.question import problem_key
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.projects.merge import selectable
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport
from reknit.workflows.fix_tests.flaky_check import Sides, flaky_of
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.work_folders import run_tests


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
    fixed: Sequence[str] = (),
) -> str:
    """The commit that would land: the whole change on top of the head it was made from."""
    repository = services.workspace(spec).repository
    change = repository.change(progress.head, made.after)
    message = commit_message(move.finding, move.number, spec.run_id, fixed)
    return repository.commit(progress.head, change, message, at=made.at)


def half_of_change(
    services: Services, spec: RunSpec, progress: RepairProgress, made: AttemptResult, *, keep_tests: bool
) -> str:
    """The head with one half of the change: only its test files, or everything else."""
    repository = services.workspace(spec).repository
    change = repository.change(progress.head, made.after)
    half = Change(tuple(file for file in change.files if is_test_file(file.path) == keep_tests))
    if not half.files:
        return progress.head
    return repository.commit(progress.head, half, "half of a change, for verification\n", at=made.at)


async def collect_proof(
    services: Services, spec: RunSpec, move: Try, progress: RepairProgress, made: AttemptResult, baseline: Baseline
) -> Proof:
    """Base's own tests first, then also the tests the change added: neither may mask the other."""
    targets, name = move.finding.tests, f"verify-{move.number}"
    reports: list[TestReport] = []

    async def run(label: str, rev: str, only: Sequence[str] = ()) -> TestReport:
        skip = baseline.not_run
        reports.append(await run_tests(services, spec, f"{name}-{label}", rev, only=only, skip=skip))
        return reports[-1]

    def timed(proof: Proof) -> Proof:
        return replace(proof, seconds=sum(report.seconds for report in reports))

    source = await asyncio.to_thread(half_of_change, services, spec, progress, made, keep_tests=False)
    only = targets if selectable(targets, spec.projects) == targets else ()
    looked = first_look(targets, await run("look", source, only)) if only else None
    if looked:
        return timed(looked)
    whole = await asyncio.to_thread(candidate, services, spec, move, progress, made)
    with_fix = [await run("source", source), await run("whole", whole)]
    bare = await asyncio.to_thread(half_of_change, services, spec, progress, made, keep_tests=True)
    green = turned_green(baseline, progress.fixed_tests, with_fix)
    fixed = green if selectable(green, spec.projects) == green else ()
    without_fix = await run("without", bare, fixed or only)
    suspects = suspected(baseline, progress.fixed_tests, with_fix)
    sides = Sides(whole if set(suspects) & with_fix[-1].failed else source, progress.head)
    flaky = await flaky_of(suspects, sides, run, alone=[*selectable(suspects, spec.projects)] == suspects)
    proof = prove(targets, baseline, progress.fixed_tests, with_fix, without_fix, flaky)
    if proof.word == "unproven" and bare == spec.base:  # green on the very tree it was red on
        proof = replace(proof, flaky=ever_passed(targets, [without_fix]))
    return timed(proof)
