"""The issues of a run, the change as the gate judges it, and the proof of the tests that issues name."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from reknit.core.checks.proof import explain_refused_proof, find_named_red_tests, select_turned_green
from reknit.core.checks.status import TestsResult
from reknit.core.fix_issues.decision import Work
from reknit.core.fix_issues.progress import BacklogProgress, list_addressed
from reknit.core.fix_issues.step_results import BatchProof
from reknit.core.fix_issues.task import FixIssues
from reknit.core.gate.code_change import list_code_paths
from reknit.core.gate.verdict import GateVerdict
from reknit.core.issues.model import Issue
from reknit.core.repository.change import Change
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.proof import Proof
from reknit.core.text.untrusted_input import GATE_LIMITS, UnfinishedWork
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.gate_check import ProposedChange
from reknit.workflows.shared.proofs import find_red_tests, load_asked_proof, prove_named_tests
from reknit.workflows.shared.tests_check import load_tests_result

NAME = "issues"


def save_issues(services: Services, spec: RunSpec, issues: tuple[Issue, ...]) -> None:
    """Save the issues as they were when the run claimed them: later changes in the ledger do not affect its work."""
    services.ledger.put_document(spec.run_id, NAME, CODEC.serialize(issues))


def load_issues(services: Services, spec: RunSpec) -> tuple[Issue, ...]:
    """Return the issues in the state in which the run claimed them."""
    issues: tuple[Issue, ...] = CODEC.deserialize(services.ledger.document(spec.run_id, NAME))
    return issues


NO_BASELINE = "the test results before the change are no longer known"


def propose_whole_change(
    services: Services, spec: RunSpec, after: str, unsafe: tuple[tuple[str, str], ...] = ()
) -> ProposedChange:
    """Return the change as the gate judges it.

    It may be as large as all batches together, also those that tools have made unnecessary.
    """
    target = spec.task_as(FixIssues)
    batches = max(len(target.batches), -(-len(target.issues) // target.limits.batch_issues))
    return ProposedChange(spec.base, after, unsafe, find_test_files(services, spec), batches=batches)


def find_test_files(services: Services, spec: RunSpec) -> tuple[str, ...]:
    """Return the files in which a test was seen on base."""
    before = load_tests_result(services, spec, spec.base)
    return before.test_files if before else ()


async def read_code_paths(services: Services, change: Change) -> tuple[str, ...]:
    """Return the files that differ in more than comments and blanks; a change that cannot be read has none."""
    paths = await services.calls.run(GATE_LIMITS, list_code_paths, change)
    return () if isinstance(paths, UnfinishedWork) else paths


async def read_addressed(services: Services, spec: RunSpec, progress: BacklogProgress) -> tuple[int, ...]:
    """Return the issues that the whole change addresses."""
    workspace, files = services.workspace(spec), [(issue.id, issue.path) for issue in load_issues(services, spec)]
    await asyncio.to_thread(workspace.ensure_commits, spec.base, progress.head)
    change = await asyncio.to_thread(workspace.repository.change, spec.base, progress.head)
    return list_addressed(
        progress, spec.task_as(FixIssues), files, change.paths, await read_code_paths(services, change)
    )


def find_asked_tests(services: Services, spec: RunSpec, head: str, issues: Sequence[Issue]) -> tuple[str, ...]:
    """Return the tests that are red on `head` and that an issue names."""
    return find_red_tests(services, spec, head, [text for issue in issues for text in _texts(issue)])


async def prove_batch_tests(
    services: Services,
    spec: RunSpec,
    progress: BacklogProgress,
    move: Work,
    batch_proof: BatchProof,
    *,
    issues: Sequence[Issue],
    attempt: AttemptResult,
    gate: GateVerdict,
) -> BatchProof:
    """Return the batch's proof with that of the tests which its issues name. Call only after the whole suite passed."""
    commits = (progress.head, batch_proof.commit, attempt.at)
    texts = [text for issue in issues for text in _texts(issue)]
    proof = await prove_named_tests(services, spec, move.number, commits, texts, gate.advice)
    if proof is None:
        return batch_proof
    why, seconds = explain_refused_proof(proof), batch_proof.seconds + proof.seconds
    return replace(batch_proof, why=why, seconds=seconds, word=proof.word if why else batch_proof.word)


def find_proven_issues(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Work, after: TestsResult
) -> tuple[int, ...]:
    """Return the issues that name tests which were red on base, if the fix of each is proven and still holds."""
    before = load_tests_result(services, spec, spec.base)
    proofs = (*load_proofs(services, spec, progress), *load_asked_proof(services, spec, f"attempt-{move.number}"))
    proven = (
        {*select_turned_green(before, after, {test for proof in proofs for test in proof.fixed})} if before else set()
    )
    tests_by_issue = {
        issue.id: find_named_red_tests(_texts(issue), before) for issue in load_issues(services, spec) if before
    }
    return tuple(issue for issue, tests in tests_by_issue.items() if tests and proven.issuperset(tests))


def load_proofs(services: Services, spec: RunSpec, progress: BacklogProgress) -> tuple[Proof, ...]:
    """Return the proofs of the attempts that the run keeps."""
    numbers = [attempt.number for attempt in progress.attempts if attempt.is_kept]
    return tuple(proof for number in numbers for proof in load_asked_proof(services, spec, f"attempt-{number}"))


def _texts(issue: Issue) -> tuple[str, ...]:
    return issue.rule, issue.message, issue.suggestion
