"""The step in which an agent of another vendor writes further test cases for a fix that it does not see."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from reknit.core.agent_reports.values import CaseProposal, HeldOutCase
from reknit.core.agents.call import AgentSettings, to_outcome_word
from reknit.core.fix_tests import events
from reknit.core.fix_tests.holdout import (
    CasePlaces,
    CaseRun,
    Holdout,
    choose_case_folder,
    choose_writer,
    filter_placeable,
    judge_cases,
    limit_budget,
    skip_holdout,
)
from reknit.core.fix_tests.progress import RepairProgress, Try
from reknit.core.projects.find import find_project
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import to_command_line
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport, TestResult
from reknit.workflows.fix_tests.verification import load_baseline, split_attempt
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, call_read_only_agent, rate_limited_call
from reknit.workflows.shared.repository_facts import read_conventions
from reknit.workflows.shared.saved_values import forget_runs, run_once


@step("holdout.v1", preemptible=True)
async def hold_out(
    services: Services, spec: RunSpec, move: Try, progress: RepairProgress, attempt: AttemptResult, proof: Proof
) -> Holdout:
    """Have another vendor write test cases for the fix. Without cases the fix lands as usual, and says so."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, spec.base, progress.head, attempt.after)
    writer = choose_writer(spec, move.agent, proof.fixed, services.ledger.total_cost(spec.run_id))
    if isinstance(writer, str):
        holdout = skip_holdout(writer)
    else:
        cases = await ask_for_cases(services, spec, move, proof, writer)
        holdout = await _run_and_judge_cases(services, spec, move, progress, attempt, (proof, writer.name, cases))
    holdout = replace(holdout, spent_usd=services.ledger.total_cost(spec.run_id))
    services.ledger.put_event(
        spec.run_id, f"attempt-{move.number}-holdout", events.report_holdout(move.number, holdout)
    )
    return holdout


async def ask_for_cases(
    services: Services, spec: RunSpec, move: Try, proof: Proof, writer: AgentSettings
) -> CaseProposal | str:
    """Return the agent's cases, or why there are none. They are saved: a resumed run does not pay for them again."""
    name = f"holdout-{move.number}"
    if saved := services.ledger.document(spec.run_id, name):
        saved_cases: CaseProposal = CODEC.deserialize(saved)
        return saved_cases
    if rate_limited_call(services, writer):
        return f"{writer.name} is rate limited"
    services.ledger.put_event(spec.run_id, f"{name}-begins", events.report_holdout_start(move.number, writer.name))
    prompt = services.prompt("holdout", await asyncio.to_thread(_facts, services, spec, move, proof))
    task = AgentTask(name, move.number, writer, prompt)
    limited = limit_budget(spec, services.ledger.total_cost(spec.run_id))
    call = await call_read_only_agent(services, limited, task, spec.base, role="holdout", blind=True)
    if not isinstance(call.report, CaseProposal) or to_outcome_word(call.outcome) != "done":
        detail = getattr(call.outcome, "detail", "")[:200]
        return f"the call of {writer.name} ended as {to_outcome_word(call.outcome)} {detail}".strip()
    services.ledger.put_document(spec.run_id, name, CODEC.serialize(call.report))
    return call.report


def _facts(services: Services, spec: RunSpec, move: Try, proof: Proof) -> dict[str, object]:
    target, repository = proof.fixed[0], services.workspace(spec).repository
    return {
        "target": target,
        "file": move.finding.file,
        "folder": choose_case_folder(target, move.finding.file, repository.paths(spec.base), spec),
        "message": move.finding.message,
        "command": to_command_line(find_project(target, spec.projects) or spec.tests),
        "conventions": read_conventions(repository, spec.base),
    }


async def _run_and_judge_cases(
    services: Services, spec: RunSpec, move: Try, progress: RepairProgress, attempt: AttemptResult,
    proposal: tuple[Proof, str, CaseProposal | str],
) -> Holdout:  # fmt: skip
    """`proposal`: the proof of the fix, who was asked, and the cases or why there are none."""
    proof, writer, cases = proposal
    if isinstance(cases, str):
        return skip_holdout(cases)
    fixed, _ = await split_attempt(services, spec, progress, attempt, load_baseline(services, spec))
    places = await asyncio.to_thread(_places, services, spec, move, proof, (progress.head, fixed))
    names: list[str] = []

    async def run(rev: str, *cases: HeldOutCase) -> TestReport:
        repository, files = services.workspace(spec).repository, {case.path: case.text for case in cases}
        commit = await asyncio.to_thread(repository.commit_for_tests, rev, files, at=attempt.at)
        names.append(f"holdout-{move.number}-{commit}")  # a resumed run may need other runs, in another order
        report, _ = await run_once(services, spec, names[-1], commit, [case.test for case in cases])
        return report

    reports = await run_cases(filter_placeable(cases.cases, places, spec), partial(run, fixed))
    runs = [CaseRun(case, report) for case, report in reports.items()]
    red = [case_run.case for case_run in runs if case_run.result == "failed"]
    before = await run_cases(red, partial(run, progress.head), final=("passed", "failed"))
    forget_runs(services, spec, names)
    runs = [replace(case_run, base=before.get(case_run.case)) for case_run in runs]
    return judge_cases(runs, move.finding.message, writer, len(cases.cases))


async def run_cases(
    cases: Sequence[HeldOutCase], run: Callable[..., Awaitable[TestReport]], final: Sequence[TestResult] = ("passed",)
) -> dict[HeldOutCase, TestReport]:
    """Run all cases together, then alone each without a final result: another case may have caused that."""
    if len(cases) < 2:
        return {case: await run(case) for case in cases}
    together = await run(*cases)
    return {case: together if together.results.get(case.test) in final else await run(case) for case in cases}


def _places(services: Services, spec: RunSpec, move: Try, proof: Proof, revs: Sequence[str]) -> CasePlaces:
    repository = services.workspace(spec).repository
    tracked = frozenset(path for rev in revs for path in repository.paths(rev))
    tests = frozenset((*load_baseline(services, spec).passing, *move.finding.tests, *proof.fixed))
    folder = choose_case_folder(proof.fixed[0], move.finding.file, repository.paths(spec.base), spec)
    return CasePlaces(proof.fixed[0], folder, tracked, tests)
