"""Runs the tests that a proof needs: the target first, the whole suite, and what turned green without the change."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from reknit.core.checks.proof import judge_proof
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.fix_tests.events import describe_run, render_commit_message
from reknit.core.fix_tests.flakiness import (
    ALONE_RUNS,
    Comparison,
    are_all_flaky,
    find_blamed,
    find_ever_passed,
    find_run_without_result,
    find_undecided,
    is_worth_comparing,
)
from reknit.core.fix_tests.progress import RepairProgress, Try
from reknit.core.fix_tests.proof import (
    RunsAfter,
    build_unseen,
    explain_needed_test_files,
    find_explained,
    find_suspects,
    find_turned_green,
    find_unexplained,
    find_unfixed,
    judge_targets,
    prove,
)
from reknit.core.fix_tests.task import FixTests
from reknit.core.gate.verdict import Refusal
from reknit.core.gate.waiver import append_allowed
from reknit.core.projects.merge import filter_selectable
from reknit.core.runs.attempt import AttemptResult, ProvenAttempt
from reknit.core.runs.reuse_keys import make_problem_key
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.checks import LABELS as CHECK_LABELS
from reknit.core.testing.proof import Proof, RunRecord, record_run, sum_runs
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.proofs import split_change
from reknit.workflows.shared.saved_values import forget_runs, run_once
from reknit.workflows.shared.tampering import FixToCheck, ask_tamper_checks

Run = Callable[[str, str, Sequence[str]], Awaitable[TestReport]]
"""(label, revision, tests; empty: all) -> what was seen."""

_RUNS = {"alone": ALONE_RUNS, "again": 1}
LABELS = tuple(
    f"{kind}-{side}-{number}" for kind in _RUNS for side in ("with", "without") for number in range(_RUNS[kind])
)
"""Labels of all runs that a comparison may make."""


@dataclass(frozen=True)
class Sides:
    """The two commits that a comparison runs the tests on."""

    with_change: str
    without: str


async def find_flaky_suspects(
    suspects: Sequence[str], sides: Sides, run: Run, *, alone: bool
) -> tuple[str, ...] | TestReport:
    """Return the suspects that the change did not break; or a run without a result, if that cannot be told.

    `alone`: the runner can run single tests.
    """
    if not is_worth_comparing(suspects):
        return ()
    to_blame: list[str] = []
    open_tests = list(suspects)
    if alone:
        comparison = await _compare("alone", sides, run, suspects)
        to_blame, open_tests = find_blamed(suspects, comparison), find_undecided(suspects, comparison)
    if open_tests:
        comparison = await _compare("again", sides, run, ())
        unseen = find_run_without_result(comparison)
        if unseen and not to_blame:
            return unseen
        to_blame += open_tests if unseen else find_blamed(open_tests, comparison)
    return tuple(test for test in suspects if test not in to_blame)


async def _compare(label: str, sides: Sides, run: Run, only: Sequence[str]) -> Comparison:
    comparison = Comparison((), ())
    for number in range(_RUNS[label]):
        with_change = await run(f"{label}-with-{number}", sides.with_change, only)
        without = await run(f"{label}-without-{number}", sides.without, only)
        comparison = Comparison((*comparison.with_change, with_change), (*comparison.without, without))
        if only and are_all_flaky(only, comparison):
            break
    return comparison


_LABELS = ("look", "look-whole", "source", "whole", "again", "without", "head")


def save_baseline(services: Services, spec: RunSpec, baseline: Baseline) -> Baseline:
    """Save the ids of a large suite as a document; the checkpoint holds only what decisions need."""
    services.ledger.put_document(spec.run_id, "baseline", CODEC.serialize(baseline))
    return replace(baseline, passing=(), test_files=())


def load_baseline(services: Services, spec: RunSpec) -> Baseline:
    """Return the whole baseline, with all test ids."""
    baseline: Baseline = CODEC.deserialize(services.ledger.document(spec.run_id, "baseline"))
    return baseline


def find_problem_key(services: Services, spec: RunSpec, baseline: Baseline) -> str:
    """Return the key under which a run remembers that agents have tried these findings."""
    return make_problem_key(spec, services.workspace(spec).repository.tree_of(spec.base), baseline.findings)


def commit_candidate(
    services: Services,
    spec: RunSpec,
    move: Try,
    progress: RepairProgress,
    attempt: AttemptResult,
    proven: ProvenAttempt | None = None,
) -> str:
    """Create the commit that would land: the whole change on top of the head it was made from."""
    repository = services.workspace(spec).repository
    change = repository.change(progress.head, attempt.after)
    fixed, bug = proven.proof.fixed if proven else (), spec.task_as(FixTests).bug
    message = render_commit_message(move.finding, spec.run_id, change.paths, attempt.call.report, fixed, bug)
    message = append_allowed(message, proven.gate.allowed if proven else ())
    return repository.commit(progress.head, change, message, at=attempt.at)


async def split_attempt(
    services: Services, spec: RunSpec, progress: RepairProgress, attempt: AttemptResult, baseline: Baseline
) -> tuple[str, str]:
    """Return the commits with its source and with its tests."""
    return await split_change(services, spec, (progress.head, attempt.after), baseline.test_files, at=attempt.at)


async def collect_proof(
    services: Services,
    spec: RunSpec,
    move: Try,
    progress: RepairProgress,
    attempt: AttemptResult,
    baseline: Baseline,
    *,
    advice: Sequence[Refusal] = (),
) -> Proof:
    """Run what the proof of a fix needs.

    `advice`: what the gate suspects; it counts where the tamper checks have no verdict.
    """
    targets, fixed_before = move.finding.tests, progress.fixed_tests
    runs: list[RunRecord] = []

    async def run(label: str, rev: str, only: Sequence[str] = ()) -> TestReport:
        name, skip = _name(move, label), baseline.not_run
        report, at = await run_once(services, spec, name, rev, only, skip)
        runs.append(record_run(describe_run(label, alone=bool(only)), report, at))
        return report

    def timed(proof: Proof) -> Proof:
        return replace(proof, seconds=sum(run.seconds for run in runs), ran=sum_runs(runs))

    source, bare = await split_attempt(services, spec, progress, attempt, baseline)
    whole = await asyncio.to_thread(commit_candidate, services, spec, move, progress, attempt)
    only, has_tests = select_alone(targets, spec, baseline), bare != progress.head
    if early_proof := judge_targets(targets, await run("look", source, only)) if only else None:
        return timed(
            explain_needed_test_files(early_proof, await run("look-whole", whole, only)) if has_tests else early_proof
        )
    with_fix = [await run("source", source)] if has_tests else []
    with_fix.append(await run("whole", whole))
    if problem := find_unfixed(targets, baseline, fixed_before, with_fix):
        return timed(explain_needed_test_files(problem, with_fix[-1]))
    single_tests = select_alone(find_turned_green(baseline, fixed_before, with_fix), spec, baseline)
    again = await run("again", whole, single_tests)
    if not single_tests:
        with_fix.append(again)
    runs_after = RunsAfter(tuple(with_fix), again, await run("without", bare, single_tests))
    flaky = await _find_flaky_tests(spec, progress, baseline, runs_after.whole, (source, whole), run)
    if isinstance(flaky, TestReport):
        return timed(build_unseen(flaky))
    proof = prove(targets, baseline, fixed_before, runs_after, flaky)
    if proof.word == "unproven" and bare == spec.base:  # green on the very tree it was red on
        proof = replace(proof, flaky=find_ever_passed(targets, [runs_after.without]))
    if proof.word == "proven":
        fix = FixToCheck(
            f"verify-{move.number}", progress.head, source, proof.fixed, targets, runs_after.without, attempt.at
        )
        proof = judge_proof(proof, await ask_tamper_checks(services, spec, fix, run, runs.append), advice)
    return timed(proof)


def forget_runs_of_proof(services: Services, spec: RunSpec, move: Try) -> None:
    """Forget the saved runs: the proof has their results."""
    forget_runs(services, spec, (_name(move, label) for label in (*_LABELS, *LABELS, *CHECK_LABELS)))


def _name(move: Try, label: str) -> str:
    return f"verify-{move.number}-{label}"


def select_alone(tests: tuple[str, ...], spec: RunSpec, baseline: Baseline) -> tuple[str, ...]:
    """Return the tests if a run of them alone shows what the suite shows; otherwise none, which means all."""
    is_selectable = filter_selectable(tests, spec.projects) == tests
    return tests if is_selectable and not {*tests} & {*baseline.only_in_suite} else ()


async def _find_flaky_tests(
    spec: RunSpec,
    progress: RepairProgress,
    baseline: Baseline,
    with_fix: Sequence[TestReport],
    commits: tuple[str, str],
    run: Run,
) -> tuple[str, ...] | TestReport:
    """Return the tests that became red or did not run, but not because of the change.

    Returns a run without a result if that cannot be told. `commits`: without the change's own tests, and whole. If
    there are no suspects, nothing more is run.
    """
    fixed_before, (source, whole) = progress.fixed_tests, commits
    suspects = find_suspects(baseline, fixed_before, with_fix)
    sides = Sides(whole if set(suspects) & with_fix[-1].failed else source, progress.head)
    alone = [*filter_selectable(suspects, spec.projects)] == suspects
    flaky = await find_flaky_suspects(suspects, sides, run, alone=alone)
    if isinstance(flaky, TestReport):
        return flaky
    unexplained_tests = find_unexplained(baseline, fixed_before, with_fix, flaky)
    before = await run("head", progress.head, ()) if unexplained_tests else None
    if before is None or before.status == "error":
        return before or flaky
    return (*flaky, *find_explained(unexplained_tests, with_fix, before))
