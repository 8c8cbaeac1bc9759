"""Tests that issues name and that were red: proven like those of `fix tests`, with receipts."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.checks.asked_tests import red_tests_named_in, turned_green, why_refused
from reknit.core.checks.status import TestsResult
from reknit.core.fix_issues.decision import Work
from reknit.core.fix_issues.progress import BacklogProgress
from reknit.core.fix_issues.step_results import BatchProof
from reknit.core.gate.verdict import GateVerdict
from reknit.core.issues.model import Issue
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.proof import Proof
from reknit.workflows.fix_issues.saved_issues import kept_issues
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.proofs.asked_tests import proof_of_asked_tests, prove_named_tests, red_tests_named
from reknit.workflows.shared.tests_check import known_tests


def asked_tests(services: Services, spec: RunSpec, head: str, issues: Sequence[Issue]) -> tuple[str, ...]:
    """Tests that are red on `head` and that an issue names."""
    return red_tests_named(services, spec, head, [text for issue in issues for text in _texts(issue)])


async def prove_asked(
    services: Services,
    spec: RunSpec,
    progress: BacklogProgress,
    move: Work,
    held: BatchProof,
    *,
    issues: Sequence[Issue],
    made: AttemptResult,
    gate: GateVerdict,
) -> BatchProof:
    """The tests held on the commit of the attempt."""
    commits = (progress.head, held.commit, made.at)
    texts = [text for issue in issues for text in _texts(issue)]
    proof = await prove_named_tests(services, spec, move.number, commits, texts, gate.advice)
    if proof is None:
        return held
    why, seconds = why_refused(proof), held.seconds + proof.seconds
    return replace(held, why=why, seconds=seconds, word=proof.word if why else held.word)


def checked_by_tests(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Work, after: TestsResult
) -> tuple[int, ...]:
    """Return the issues that name tests which were red on base, if the fix of each is proven and still holds."""
    before = known_tests(services, spec, spec.base)
    proofs = (*proofs_of(services, spec, progress), *proof_of_asked_tests(services, spec, f"attempt-{move.number}"))
    proven = {*turned_green(before, after, {test for proof in proofs for test in proof.fixed})} if before else set()
    named = {issue.id: red_tests_named_in(_texts(issue), before) for issue in kept_issues(services, spec) if before}
    return tuple(issue for issue, tests in named.items() if tests and proven.issuperset(tests))


def proofs_of(services: Services, spec: RunSpec, progress: BacklogProgress) -> tuple[Proof, ...]:
    """Of the attempts that were kept."""
    kept = [tried.number for tried in progress.tried if tried.kept]
    return tuple(proof for number in kept for proof in proof_of_asked_tests(services, spec, f"attempt-{number}"))


def _texts(issue: Issue) -> tuple[str, ...]:
    return issue.rule, issue.message, issue.suggestion
