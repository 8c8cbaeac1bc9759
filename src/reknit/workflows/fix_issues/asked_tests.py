"""Tests that issues name and that were red: proven like those of `fix tests`, with receipts."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.checks.asked_tests import why_refused
from reknit.core.fix_issues.decision import Work
from reknit.core.fix_issues.progress import BacklogProgress
from reknit.core.fix_issues.step_results import BatchProof
from reknit.core.gate.verdict import GateVerdict
from reknit.core.issues.model import Issue
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.proof import Proof
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.proofs.asked_tests import proof_of_asked_tests, prove_named_tests, red_tests_named


def asked_tests(services: Services, spec: RunSpec, head: str, issues: Sequence[Issue]) -> tuple[str, ...]:
    """Tests that are red on `head` and that an issue names."""
    return red_tests_named(services, spec, head, _texts(issues))


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
    proof = await prove_named_tests(services, spec, move.number, commits, _texts(issues), gate.advice)
    if proof is None:
        return held
    why = why_refused(proof, only_tests=False)
    return replace(held, why=why, seconds=held.seconds + proof.seconds, word=proof.word if why else held.word)


def proofs_of(services: Services, spec: RunSpec, progress: BacklogProgress) -> tuple[Proof, ...]:
    """Of the attempts that were kept."""
    kept = [tried.number for tried in progress.tried if tried.kept]
    return tuple(proof for number in kept for proof in proof_of_asked_tests(services, spec, f"attempt-{number}"))


def _texts(issues: Sequence[Issue]) -> list[str]:
    return [text for issue in issues for text in (issue.rule, issue.message, issue.suggestion)]
