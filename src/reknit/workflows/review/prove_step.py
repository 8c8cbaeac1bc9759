"""Proves fixes of findings: no test breaks, and tests that a fix adds notice when the code is wrong."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from reknit.core.checks.proof import explain_refused_proof
from reknit.core.checks.status import TestsResult
from reknit.core.checks.tests import explain_broken_fix, report_verification
from reknit.core.errors import InternalError
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import append_allowed
from reknit.core.projects.merge import filter_selectable
from reknit.core.repository.change import REGULAR, Change, FileChange
from reknit.core.review import run_text
from reknit.core.review.decision import FixFindings
from reknit.core.review.mutants import Mutant, list_mutants
from reknit.core.review.progress import FindingBatch, ReviewProgress
from reknit.core.review.reach import find_reach
from reknit.core.review.step_results import FixProof
from reknit.core.review.task import ReviewChange
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.core.text.format import join_few, pluralize
from reknit.core.text.untrusted_input import GATE_LIMITS, UnfinishedWork
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.proofs import prove_named_tests, split_change
from reknit.workflows.shared.saved_values import forget_runs, run_once
from reknit.workflows.shared.tests_check import load_tests_result, run_tests_check

NO_NEW_TEST = "no test of the change passes that was not there before"
NOTHING_TO_CHANGE = "the reviewed change adds no line of code in which a mistake could be made, to try the new tests"
NOT_ONLY_TESTS = "a fix of a finding about tests may only add tests"


@step("prove_review.v1", preemptible=True)
async def prove(
    services: Services, spec: RunSpec, progress: ReviewProgress, move: FixFindings, attempt: AttemptResult,
    gate: GateVerdict,
) -> FixProof:  # fmt: skip
    """Prove that no test which passed on base is red or missing. The commit stays in this run's gitdir until it lands.

    A red test that a finding names is proven like in `fix tests`. A test that is added for a finding about tests must
    notice a small change to the code.
    """
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ensure_commits, spec.base, progress.head, attempt.after)
    change = await asyncio.to_thread(workspace.repository.change, progress.head, attempt.after)
    if not change.files:
        return FixProof(progress.head, run_text.NOTHING_CHANGED)
    earlier = await asyncio.to_thread(workspace.repository.change, spec.base, progress.head)
    reach = await services.calls.run(GATE_LIMITS, find_reach, change, move.batch.findings, earlier)
    if isinstance(reach, UnfinishedWork):
        return FixProof(progress.head, f"the change could not be read: {reach.why}")
    adds_tests = _needs_new_tests(spec, move.batch)
    if reach.missed and not adds_tests:
        return FixProof(progress.head, reach.missed)
    message = append_allowed(run_text.render_commit_message(move.batch, spec.run_id), gate.allowed)
    commit = await asyncio.to_thread(workspace.repository.commit, progress.head, change, message, at=attempt.at)
    await asyncio.to_thread(workspace.repository.keep, f"refs/reknit/{spec.run_id}/kept-{move.number}", commit)
    after = await run_tests_check(services, spec, f"verify-{move.number}", commit, move.number)
    before = load_tests_result(services, spec, spec.base)
    if before is None:
        raise InternalError("no-baseline", f"the tests of {spec.base} are no longer known")
    why = explain_broken_fix(before, after, must_turn_green=False)
    if adds_tests and not why:
        results = (load_tests_result(services, spec, progress.head) or before, after)
        sides = (progress.head, commit, attempt.at)
        why = await _explain_vacuous_tests(services, spec, move.batch, sides, results)
    services.ledger.put_event(
        spec.run_id, f"attempt-{move.number}-verify", report_verification(move.number, after, why)
    )
    unseen = after.why if after.status == "error" else ""
    untouched = tuple(name for name in move.batch.ids if name not in reach.touched and not adds_tests)
    fix_proof = FixProof(commit, why, after.passed, unseen, after.seconds, untouched=untouched)
    arguments = (progress.head, commit, attempt.at), move.batch.texts
    proof = None if why else await prove_named_tests(services, spec, move.number, *arguments, gate.advice)
    if proof is None:
        return fix_proof
    why, unseen = explain_refused_proof(proof), proof.sentence if proof.word == "unseen" else ""
    return replace(fix_proof, why=why, unseen=unseen, seconds=fix_proof.seconds + proof.seconds, word=proof.word)


def _needs_new_tests(spec: RunSpec, batch: FindingBatch) -> bool:
    """Return True if a fix may only add tests: the findings are about tests that nobody has allowed to change."""
    files = [finding.file for finding in batch.findings]
    return batch.is_about_tests and not any(spec.waivers.find_waiver("protected-test", file) for file in files)


async def _explain_vacuous_tests(
    services: Services,
    spec: RunSpec,
    batch: FindingBatch,
    commits: tuple[str, str, float],
    results: tuple[TestsResult, TestsResult],
) -> str:
    """Return why the tests that a change adds prove nothing; empty: one of them notices a small change to the code.

    `commits`: the commit before, the one with the tests, and the time of the change. `results`: of these two commits.
    """
    (base, commit, at), (before, after) = commits, results
    source, _ = await split_change(services, spec, (base, commit), before.test_files, at=at)
    if source != base:
        return NOT_ONLY_TESTS
    new_tests = tuple(test for test in after.passing if test not in {*before.passing, *before.flaky})
    if not new_tests and spec.evidence != "exit code":
        return NO_NEW_TEST
    repository = services.workspace(spec).repository
    reviewed = await asyncio.to_thread(repository.change, spec.task_as(ReviewChange).since, commit)
    added = await asyncio.to_thread(repository.change, base, commit)
    mutants = await services.calls.run(GATE_LIMITS, list_mutants, reviewed, batch.findings, added)
    if isinstance(mutants, UnfinishedWork) or not mutants:
        return NOTHING_TO_CHANGE
    names = [f"mutant-{commit[:12]}-{number}" for number in range(len(mutants))]
    alone = new_tests if filter_selectable(new_tests, spec.projects) == new_tests else ()

    async def run(name: str, rev: str, mutant: Mutant, only: Sequence[str] = ()) -> TestReport:
        text = await asyncio.to_thread(repository.read, rev, mutant.path)
        file = FileChange(mutant.path, text.encode(), mutant.text.encode(), REGULAR, REGULAR)
        wrong = await asyncio.to_thread(repository.commit, rev, Change((file,)), "a wrong line\n", at=at)
        return (await run_once(services, spec, name, wrong, only))[0]

    async def is_noticed(name: str, mutant: Mutant) -> bool:
        report = await run(name, commit, mutant, alone)
        if new_tests or report.status != "fail":
            return not report.failed.isdisjoint(new_tests)
        return (await run(f"{name}-without", base, mutant)).status == "pass"  # or other tests notice it

    why = _describe_vacuous_tests(new_tests, [mutant.told for mutant in mutants])
    for name, mutant in zip(names, mutants, strict=True):
        if await is_noticed(name, mutant):
            why = ""
            break
    forget_runs(services, spec, (*names, *(f"{name}-without" for name in names)))
    return why


def _describe_vacuous_tests(new_tests: Sequence[str], tried: Sequence[str]) -> str:
    wrong = f"{pluralize(len(tried), 'wrong line')}: {join_few(tried)}"
    return f"{join_few(new_tests) or 'the tests'} would pass with each of {wrong}"
