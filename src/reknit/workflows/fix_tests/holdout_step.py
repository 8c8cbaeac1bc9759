"""The step in which an agent of another vendor writes further test cases for a fix that it does not see."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from reknit.core.agent_reports.values import CaseProposal, HeldOutCase
from reknit.core.agents.call import AgentSettings, outcome_word
from reknit.core.fix_tests import events
from reknit.core.fix_tests.holdout import (
    CasePlaces,
    CaseRun,
    Holdout,
    budget_with_holdout,
    case_folder,
    judge_cases,
    no_holdout,
    placeable,
    writer_or_why,
)
from reknit.core.fix_tests.progress import RepairProgress, Try
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command_line import as_typed
from reknit.core.testing.projects.find import project_of
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport, TestResult
from reknit.workflows.fix_tests.verification import halves_of_attempt, known_baseline
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, resting
from reknit.workflows.shared.agent_reading import read
from reknit.workflows.shared.prompt_facts import conventions
from reknit.workflows.shared.proofs.saved_runs import forget_runs, run_once


@step("holdout.v1", preemptible=True)
async def hold_out(
    services: Services, spec: RunSpec, move: Try, progress: RepairProgress, made: AttemptResult, proof: Proof
) -> Holdout:
    """Nothing here can fail a run: without cases the fix lands as it would have without a hold-out, and says so."""
    await asyncio.to_thread(services.workspace(spec).ready, spec.base, progress.head, made.after)
    writer = writer_or_why(spec, move.agent, proof.fixed, services.ledger.spent(spec.run_id))
    if isinstance(writer, str):
        holdout = no_holdout(writer)
    else:
        cases = await ask_for_cases(services, spec, move, proof, writer)
        holdout = await _judged(services, spec, move, progress, made, (proof, writer.name, cases))
    holdout = replace(holdout, spent_usd=services.ledger.spent(spec.run_id))
    services.ledger.event(spec.run_id, f"attempt-{move.number}-holdout", events.holdout_said(move.number, holdout))
    return holdout


async def ask_for_cases(
    services: Services, spec: RunSpec, move: Try, proof: Proof, writer: AgentSettings
) -> CaseProposal | str:
    """Its cases, or why there are none. They are saved: a resumed run does not pay for them again."""
    name = f"holdout-{move.number}"
    if saved := services.ledger.document(spec.run_id, name):
        kept: CaseProposal = CODEC.deserialize(saved)
        return kept
    if resting(services, writer):
        return f"{writer.name} is rate limited"
    services.ledger.event(spec.run_id, f"{name}-begins", events.holdout_begins(move.number, writer.name))
    prompt = services.prompt("holdout", await asyncio.to_thread(_facts, services, spec, move, proof))
    task = AgentTask(name, move.number, writer, prompt)
    limited = budget_with_holdout(spec, services.ledger.spent(spec.run_id))
    call = await read(services, limited, task, spec.base, role="holdout", blind=True)
    if not isinstance(call.report, CaseProposal) or outcome_word(call.outcome) != "done":
        detail = getattr(call.outcome, "detail", "")[:200]
        return f"the call of {writer.name} ended as {outcome_word(call.outcome)} {detail}".strip()
    services.ledger.put_document(spec.run_id, name, CODEC.serialize(call.report))
    return call.report


def _facts(services: Services, spec: RunSpec, move: Try, proof: Proof) -> dict[str, object]:
    target, repository = proof.fixed[0], services.workspace(spec).repository
    return {
        "target": target,
        "file": move.finding.file,
        "folder": case_folder(target, move.finding.file, repository.paths(spec.base), spec),
        "message": move.finding.message,
        "command": as_typed(project_of(target, spec.projects) or spec.tests),
        "conventions": conventions(repository, spec.base),
    }


async def _judged(
    services: Services, spec: RunSpec, move: Try, progress: RepairProgress, made: AttemptResult,
    proposal: tuple[Proof, str, CaseProposal | str],
) -> Holdout:  # fmt: skip
    """`proposal`: the proof of the fix, who was asked, and the cases or why there are none."""
    proof, writer, cases = proposal
    if isinstance(cases, str):
        return no_holdout(cases)
    fixed, _ = await halves_of_attempt(services, spec, progress, made, known_baseline(services, spec))
    places = await asyncio.to_thread(_places, services, spec, move, proof, (progress.head, fixed))
    names: list[str] = []

    async def run(rev: str, *cases: HeldOutCase) -> TestReport:
        repository, files = services.workspace(spec).repository, {case.path: case.text for case in cases}
        commit = await asyncio.to_thread(repository.commit_for_tests, rev, files, at=made.at)
        names.append(f"holdout-{move.number}-{commit}")  # a resumed run may need other runs, in another order
        report, _ = await run_once(services, spec, names[-1], commit, [case.test for case in cases])
        return report

    reports = await reports_of(placeable(cases.cases, places, spec), partial(run, fixed))
    runs = [CaseRun(case, report) for case, report in reports.items()]
    red = [seen.case for seen in runs if seen.result == "failed"]
    before = await reports_of(red, partial(run, progress.head), final=("passed", "failed"))
    forget_runs(services, spec, names)
    runs = [replace(seen, base=before.get(seen.case)) for seen in runs]
    return judge_cases(runs, move.finding.message, writer, len(cases.cases))


async def reports_of(
    cases: Sequence[HeldOutCase], run: Callable[..., Awaitable[TestReport]], final: Sequence[TestResult] = ("passed",)
) -> dict[HeldOutCase, TestReport]:
    """All in one run, then alone each without a final result: another case may be why it is red or not reported."""
    if len(cases) < 2:
        return {case: await run(case) for case in cases}
    together = await run(*cases)
    return {case: together if together.results.get(case.test) in final else await run(case) for case in cases}


def _places(services: Services, spec: RunSpec, move: Try, proof: Proof, revs: Sequence[str]) -> CasePlaces:
    repository = services.workspace(spec).repository
    tracked = frozenset(path for rev in revs for path in repository.paths(rev))
    tests = frozenset((*known_baseline(services, spec).passing, *move.finding.tests, *proof.fixed))
    folder = case_folder(proof.fixed[0], move.finding.file, repository.paths(spec.base), spec)
    return CasePlaces(proof.fixed[0], folder, tracked, tests)
