"""Proves fixes of findings: no test breaks, and tests that a fix adds notice when the code is wrong."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reknit.core.checks.proof import explain_refused_proof
from reknit.core.checks.status import TestsResult
from reknit.core.checks.tests import explain_broken_fix, report_verification
from reknit.core.errors import InternalError
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import append_allowed
from reknit.core.projects.merge import filter_selectable
from reknit.core.repository.change import Change
from reknit.core.review import run_text
from reknit.core.review.decision import FixFindings
from reknit.core.review.mutants import Mutant, list_mutants
from reknit.core.review.progress import NOTHING_TO_TRY, FindingBatch, ReviewProgress
from reknit.core.review.reach import find_reach
from reknit.core.review.step_results import FixProof
from reknit.core.review.task import ReviewChange
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.proof import ProofWord
from reknit.core.testing.report import TestReport
from reknit.core.text.format import join_few, pluralize
from reknit.core.text.untrusted_input import GATE_LIMITS, UnfinishedWork
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.attempt_cycle import refuse_proof
from reknit.workflows.shared.proofs import prove_named_tests, split_change
from reknit.workflows.shared.saved_values import forget_runs, run_once
from reknit.workflows.shared.tests_check import load_tests_result, run_tests_check

NO_NEW_TEST = "no test of the change passes that was not there before"
NO_RESULT = "the added tests gave no result with any wrong line in the reviewed code"
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
        return FixProof(
            progress.head, refuse_proof(services, spec, move.number, run_text.NOTHING_CHANGED), word="unproven"
        )
    earlier = await asyncio.to_thread(workspace.repository.change, spec.base, progress.head)
    reach = await services.calls.run(GATE_LIMITS, find_reach, change, move.batch.findings, earlier)
    if isinstance(reach, UnfinishedWork):
        return FixProof(progress.head, f"the change could not be read: that {reach.why}", word="unproven")
    adds_tests = needs_new_tests(spec, move.batch)
    if reach.missed and not adds_tests:
        return FixProof(progress.head, refuse_proof(services, spec, move.number, reach.missed), word="unproven")
    text = run_text.render_commit_message(move.batch, spec.run_id, change.paths, attempt.call.report)
    message = append_allowed(text, gate.allowed)
    commit = await asyncio.to_thread(workspace.repository.commit, progress.head, change, message, at=attempt.at)
    await asyncio.to_thread(workspace.repository.keep, f"refs/reknit/{spec.run_id}/kept-{move.number}", commit)
    after = await run_tests_check(services, spec, f"verify-{move.number}", commit, move.number)
    before = load_tests_result(services, spec, spec.base)
    if before is None:
        raise InternalError("no-baseline", f"the tests of {spec.base} are no longer known")
    why = explain_broken_fix(before, after, must_turn_green=False)
    word: ProofWord = "regressed"
    trial = _Trial("", 0.0)
    if adds_tests and not why:
        results = (load_tests_result(services, spec, progress.head) or before, after)
        left_s = spec.limits.timeout_s - progress.worked_s - after.seconds
        trial = await _try_wrong_lines(services, spec, move.batch, (progress.head, commit, attempt.at), results, left_s)
        why, word = trial.why, "unproven"
    services.ledger.put_event(
        spec.run_id, f"attempt-{move.number}-verify", report_verification(move.number, after, why)
    )
    unseen = after.why if after.status == "error" else ""
    untouched = tuple(name for name in move.batch.ids if name not in reach.touched and not adds_tests)
    fix_proof = FixProof(commit, why, after.passed, unseen, after.seconds + trial.seconds, word, untouched)
    arguments = (progress.head, commit, attempt.at), move.batch.texts
    proof = None if why else await prove_named_tests(services, spec, move.number, *arguments, gate.advice)
    if proof is None:
        return fix_proof
    why, unseen = explain_refused_proof(proof), proof.sentence if proof.word == "unseen" else ""
    return replace(fix_proof, why=why, unseen=unseen, seconds=fix_proof.seconds + proof.seconds, word=proof.word)


@dataclass(frozen=True)
class _Trial:
    """The result of running added tests with wrong lines."""

    why: str
    """Why they prove nothing; empty: they notice a wrong line."""
    seconds: float


async def _try_wrong_lines(
    services: Services,
    spec: RunSpec,
    batch: FindingBatch,
    commits: tuple[str, str, float],
    results: tuple[TestsResult, TestsResult],
    left_s: float,
) -> _Trial:
    """Run the tests that a change adds with one wrong line of the reviewed code after the other.

    `commits`: the commit before, the one with the tests, and the time of the change. `results`: of these two commits.
    `left_s`: the time that the run has left.
    """
    (base, commit, at), (before, after) = commits, results
    source, _ = await split_change(services, spec, (base, commit), before.test_files, at=at)
    if source != base:
        return _Trial(NOT_ONLY_TESTS, 0.0)
    new_tests = tuple(test for test in after.passing if test not in {*before.passing, *before.flaky})
    if not new_tests and spec.evidence != "exit code":
        return _Trial(NO_NEW_TEST, 0.0)
    mutants = await make_mutants(services, spec, batch, base, commit)
    if isinstance(mutants, str):
        return _Trial(mutants, 0.0)
    repository = services.workspace(spec).repository
    alone = new_tests if filter_selectable(new_tests, spec.projects) == new_tests else ()
    names: list[str] = []
    seconds = 0.0

    async def run(label: str, rev: str, mutant: Mutant | None, only: Sequence[str] = ()) -> TestReport:
        nonlocal seconds
        names.append(f"wrong-{commit[:12]}-{label}")
        if mutant:
            change = Change((mutant.change,))
            rev = await asyncio.to_thread(repository.commit, rev, change, "a wrong line\n", at=at)
        report, _ = await run_once(services, spec, names[-1], rev, only)
        seconds += report.seconds
        return report

    async def is_red(label: str, mutant: Mutant | None) -> bool | None:
        report = await run(label, commit, mutant, alone)
        if report.status == "error":
            return None
        return not report.failed.isdisjoint(new_tests) if new_tests else report.status == "fail"

    async def is_noticed(number: int, mutant: Mutant) -> bool:
        """Return True if only the wrong line, and neither chance nor another test, makes a test red."""
        if not await is_red(f"{number}-again", mutant) or await is_red(f"{number}-right", None) is not False:
            return False
        return bool(new_tests) or (await run(f"{number}-without", base, mutant)).status == "pass"

    why, unnoticed = "", list[str]()
    for number, mutant in enumerate(mutants):
        red = await is_red(str(number), mutant)
        if red and await is_noticed(number, mutant):
            break
        unnoticed += [] if red is None else [mutant.description]
        if seconds > left_s:
            why = f"the time of the run is over; until then, {_describe(new_tests, unnoticed)}"
            break
    else:
        why = _describe(new_tests, unnoticed)
    forget_runs(services, spec, names)
    return _Trial(why, seconds)


def _describe(new_tests: Sequence[str], unnoticed: Sequence[str]) -> str:
    if not unnoticed:
        return NO_RESULT
    wrong = f"{pluralize(len(unnoticed), 'wrong line')}: {join_few(unnoticed)}"
    return f"{join_few(new_tests) or 'the tests'} would pass with each of {wrong}"


async def make_mutants(
    services: Services, spec: RunSpec, batch: FindingBatch, base: str, commit: str
) -> tuple[Mutant, ...] | str:
    """Return wrong lines of the reviewed code, or why there are none. `commit`: adds the tests to the base."""
    repository = services.workspace(spec).repository
    reviewed = await asyncio.to_thread(repository.change, spec.task_as(ReviewChange).since, base)
    added = await asyncio.to_thread(repository.change, base, commit)
    mutants = await services.calls.run(GATE_LIMITS, list_mutants, reviewed, batch.findings, added)
    if isinstance(mutants, UnfinishedWork):
        return f"no wrong line could be made of the reviewed code: that {mutants.why}"
    return mutants or NOTHING_TO_TRY


def needs_new_tests(spec: RunSpec, batch: FindingBatch) -> bool:
    """Return True if a fix may only add tests: the findings are about tests that nobody has allowed to change."""
    files = [finding.file for finding in batch.findings]
    return batch.is_about_tests and not any(spec.waivers.find_waiver("protected-test", file) for file in files)
