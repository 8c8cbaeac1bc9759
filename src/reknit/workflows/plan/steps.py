"""The steps that make a plan: ask an agent, judge its proposal, write the file."""

import asyncio
import json

from reknit.core.agents.call import Aborted, AgentCall
from reknit.core.errors import ReknitError
from reknit.core.plan import run_text
from reknit.core.plan.emission import plan_file
from reknit.core.plan.prompt import forbidden, score_table
from reknit.core.plan.result import PlanResult
from reknit.core.planning.exploration.document import document
from reknit.core.planning.exploration.yaml_text import as_yaml
from reknit.core.planning.grants import needed_grants
from reknit.core.planning.plan_file.index import with_index_line
from reknit.core.planning.plan_file.plan import INDEX, PlanFile
from reknit.core.planning.plan_file.printing import print_plan
from reknit.core.planning.plan_file.written import written_key
from reknit.core.planning.validation.rules import PlanFacts, validate
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared import attempt_cycle
from reknit.workflows.shared.agent_call import AgentTask, resting
from reknit.workflows.shared.agent_reading import read

CONTEXT_BYTES = 50_000
"""Of what was explored, in the prompt."""


@step("analyse.v1", preemptible=True)
async def analyse(services: Services, spec: RunSpec) -> AgentCall:
    if call := resting(services, spec.agent):
        return call
    if services.ledger.spent(spec.run_id) >= spec.limits.budget_usd:
        return AgentCall(Aborted("budget", "nothing is left to spend"))
    services.ledger.event(spec.run_id, "analysis-begins", run_text.begins(spec.agent.name))
    await asyncio.to_thread(services.workspace(spec).ready, spec.base)
    task = AgentTask("plan", 1, spec.agent, _prompt(services, spec))
    call = await read(services, spec, task, spec.base, role="plan")
    services.ledger.event(spec.run_id, "analysis", run_text.heard(spec.agent.name, call))
    return call


def _prompt(services: Services, spec: RunSpec) -> str:
    target = spec.plan_target
    facts = {
        "variants": tuple(variant.name for variant in target.variants),
        "min_confidence": target.min_confidence_0_100,
        "forbidden": forbidden(target.intent.constraints),
        "was_asked": bool(target.intent.answers),
        "topic": target.intent.topic,
        "description": target.intent.description,
        "context": as_yaml(document(target.context), CONTEXT_BYTES),
        "scores": score_table(target.scores),
    }
    return services.prompt("plan", facts)


plan_wait = step("plan_wait_plan.v1")(attempt_cycle.plan_wait)


@step("validate_plan.v1")
async def judge(services: Services, spec: RunSpec, call: AgentCall) -> PlanResult:
    target, result = spec.plan_target, PlanResult(call, None)
    if result.proposal is None:
        services.ledger.event(spec.run_id, "validation", run_text.judged(result))
        return result
    await asyncio.to_thread(services.workspace(spec).ready, spec.base)
    tracked = frozenset(await asyncio.to_thread(services.workspace(spec).repository.paths, spec.base))
    facts = PlanFacts(
        context=target.context,
        intent=target.intent,
        variants=target.variants,
        tracked=tracked,
        min_confidence_0_100=target.min_confidence_0_100,
        models=target.models,
    )
    titles = [task.title for task in result.proposal.tasks]
    validation = await asyncio.to_thread(validate, result.proposal, facts)  # the tree may have 100,000 files
    result = PlanResult(call, validation, await asyncio.to_thread(needed_grants, titles, tracked))
    services.ledger.event(spec.run_id, "validation", run_text.judged(result))
    return result


@step("emit_plan.v1")
async def emit(services: Services, spec: RunSpec, result: PlanResult) -> bool:
    """Writes the same files however often it runs. False: the file has a person's text now, and was left alone."""
    target = spec.plan_target
    plan = plan_file(target, result, spec.base, spec.agent, spec.run_id)
    text = print_plan(plan)
    services.ledger.put_document(spec.run_id, "plan", json.dumps(run_text.plan_document(target, plan, result)))
    services.ledger.put_document(spec.run_id, "plan_text", text)
    services.ledger.remember(written_key(spec.repository, target.file, text), spec.run_id)
    try:
        is_written = await asyncio.to_thread(_write, services, spec, plan, text)
    except ReknitError as problem:
        problem.what = f"emission: {problem.what}"
        raise
    services.ledger.event(spec.run_id, "emission", run_text.emitted(plan, target.file, is_written=is_written))
    return is_written


def _write(services: Services, spec: RunSpec, plan: PlanFile, text: str) -> bool:
    file, repository = spec.plan_target.file, spec.repository

    def replaced(old: str) -> str:
        is_ours = not old or bool(services.ledger.remembered(written_key(repository, file, old)))
        return text if is_ours or spec.plan_target.replaces else old

    services.working_tree.rewrite(repository, file, replaced)
    is_written = services.working_tree.read(repository, file) == text
    if is_written:
        services.working_tree.rewrite(repository, INDEX, lambda index: with_index_line(index, plan))
    return is_written


@step("finish_plan.v1")
async def finish(services: Services, spec: RunSpec, ending: Ending) -> Ending:
    services.ledger.end(spec.run_id, ending)
    return ending
