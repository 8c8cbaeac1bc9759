"""Tests that issues name and that were red: proven like those of `fix tests`, with receipts."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.checks.asked_tests import red_tests_named_in, why_refused
from reknit.core.fix_issues.decision import Work
from reknit.core.fix_issues.progress import BacklogProgress
from reknit.core.fix_issues.step_results import BatchProof
from reknit.core.gate.verdict import GateVerdict
from reknit.core.issues.model import Issue
from reknit.core.runs import attempt_events
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.proof import Proof
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.proofs.asked_tests import AskedFix, proof_of_asked_tests, prove_asked_tests
from reknit.workflows.shared.tests_check import known_tests


def asked_tests(services: Services, spec: RunSpec, head: str, issues: Sequence[Issue]) -> tuple[str, ...]:
    """Tests that are red on `head` and that an issue names."""
    before = known_tests(services, spec, head)
    texts = [text for issue in issues for text in (issue.rule, issue.message, issue.suggestion)]
    return red_tests_named_in(texts, before) if before else ()


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
    before, after = (known_tests(services, spec, commit, move.number) for commit in (progress.head, held.commit))
    asked = asked_tests(services, spec, progress.head, issues)
    if not asked or before is None or after is None:
        return held
    fix = AskedFix(_name(move.number), progress.head, held.commit, made.at, before, after, asked)
    proof = await prove_asked_tests(services, spec, fix, gate.advice)
    told = attempt_events.proof_said(move.number, proof)
    services.ledger.event(spec.run_id, f"attempt-{move.number}-proof", told)
    why, seconds = why_refused(proof, only_tests=False), held.seconds + proof.seconds
    return replace(held, why=why, seconds=seconds, word=proof.word if why else held.word)


def proofs_of(services: Services, spec: RunSpec, progress: BacklogProgress) -> tuple[Proof, ...]:
    """Of the attempts that were kept."""
    kept = [tried.number for tried in progress.tried if tried.kept]
    return tuple(proof for number in kept for proof in proof_of_asked_tests(services, spec, _name(number)))


def _name(number: int) -> str:
    return f"attempt-{number}"
