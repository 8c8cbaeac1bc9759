"""`plan` as a durable workflow: ask an agent, judge its proposal, write the file. `core/planning` has the rules."""

import asyncio
import json

from dbos import DBOS

from reknit.core.agents.call import Aborted, AgentCall, RateLimited
from reknit.core.errors import ReknitError
from reknit.core.plan import run_text
from reknit.core.plan.decision import PlanResult, decide_ending
from reknit.core.plan.emission import build_plan_file
from reknit.core.plan.prompt import list_forbidden, render_score_table
from reknit.core.plan.task import WritePlan
from reknit.core.planning.criteria import FORMS
from reknit.core.planning.exploration.document import to_document, to_yaml
from reknit.core.planning.plan_file.index import update_index
from reknit.core.planning.plan_file.plan import INDEX, PlanFile
from reknit.core.planning.plan_file.printing import print_plan
from reknit.core.planning.plan_file.results import make_written_key
from reknit.core.planning.rules import PlanFacts, validate
from reknit.core.planning.tasks import find_needed_grants
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import ending_from_result, result_or_error, step
from reknit.workflows.shared.agent_call import AgentTask, call_read_only_agent, rate_limited_call
from reknit.workflows.shared.attempt_cycle import announce_wait, sleep_as_planned
from reknit.workflows.shared.run_end import end_run

CONTEXT_BYTES = 50_000
"""Maximum size in bytes of the explored context in the prompt."""


@step("analyse.v1", preemptible=True)
async def analyse(services: Services, spec: RunSpec) -> AgentCall:
    """Ask the agent for a proposal."""
    if call := rate_limited_call(services, spec.agent):
        return call
    if services.ledger.total_cost(spec.run_id) >= spec.limits.budget_usd:
        return AgentCall(Aborted("budget", "nothing is left to spend"))
    services.ledger.put_event(spec.run_id, "analysis-begins", run_text.report_analysis_start(spec.agent.name))
    await asyncio.to_thread(services.workspace(spec).ensure_commits, spec.base)
    task = AgentTask("plan", 1, spec.agent, _prompt(services, spec))
    call = await call_read_only_agent(services, spec, task, spec.base, role="plan")
    services.ledger.put_event(spec.run_id, "analysis", run_text.report_analysis(spec.agent.name, call))
    return call


def _prompt(services: Services, spec: RunSpec) -> str:
    target = spec.task_as(WritePlan)
    facts = {
        "criteria": FORMS,
        "variants": tuple(variant.name for variant in target.variants),
        "min_confidence": target.min_confidence_0_100,
        "forbidden": list_forbidden(target.intent.constraints),
        "was_asked": bool(target.intent.answers),
        "topic": target.intent.topic,
        "description": target.intent.description,
        "context": to_yaml(to_document(target.context), CONTEXT_BYTES),
        "purposes": tuple(variant.describe() for variant in target.variants),
        "scores": render_score_table(target.scores),
    }
    return services.prompt("plan", facts)


plan_wait = step("plan_wait_plan.v1")(announce_wait)


@step("validate_plan.v1")
async def judge(services: Services, spec: RunSpec, call: AgentCall) -> PlanResult:
    """Validate the agent's proposal."""
    target, result = spec.task_as(WritePlan), PlanResult(call, None)
    if result.proposal is None:
        services.ledger.put_event(spec.run_id, "validation", run_text.report_validation(result))
        return result
    await asyncio.to_thread(services.workspace(spec).ensure_commits, spec.base)
    tracked = frozenset(await asyncio.to_thread(services.workspace(spec).repository.paths, spec.base))
    facts = PlanFacts(
        context=target.context,
        intent=target.intent,
        variants=target.variants,
        tracked=tracked,
        min_confidence_0_100=target.min_confidence_0_100,
        models=target.models,
    )
    validation = await asyncio.to_thread(validate, result.proposal, facts)  # the tree may have 100,000 files
    result = PlanResult(call, validation, await asyncio.to_thread(find_needed_grants, result.proposal.tasks, tracked))
    services.ledger.put_event(spec.run_id, "validation", run_text.report_validation(result))
    return result


@step("emit_plan.v1")
async def emit(services: Services, spec: RunSpec, result: PlanResult) -> bool:
    """Write the plan; a second call writes the same. Return False if a person's text is there and was left alone."""
    target = spec.task_as(WritePlan)
    plan = build_plan_file(target, result, spec.base, spec.agent, spec.run_id)
    text = print_plan(plan)
    services.ledger.put_document(spec.run_id, "plan", json.dumps(run_text.plan_to_document(target, plan, result)))
    services.ledger.put_document(spec.run_id, "plan_text", text)
    services.ledger.record_answer(make_written_key(spec.repository, target.file, text), spec.run_id)
    try:
        has_written = await asyncio.to_thread(_write, services, spec, plan, text)
    except ReknitError as problem:
        problem.message = f"emission: {problem.message}"
        raise
    services.ledger.put_event(
        spec.run_id, "emission", run_text.report_emission(plan, target.file, is_saved=has_written)
    )
    return has_written


def _write(services: Services, spec: RunSpec, plan: PlanFile, text: str) -> bool:
    file, repository = spec.task_as(WritePlan).file, spec.repository

    def replaced(old: str) -> str:
        is_ours = not old or bool(services.ledger.find_answer(make_written_key(repository, file, old)))
        return text if is_ours or spec.task_as(WritePlan).replaces else old

    services.working_tree.rewrite(repository, file, replaced)
    is_ours_now = services.working_tree.read(repository, file) == text
    if is_ours_now:
        services.working_tree.rewrite(repository, INDEX, lambda index: update_index(index, plan))
    return is_ours_now


@step("finish_plan.v1")
async def finish(services: Services, spec: RunSpec, ending: Ending) -> Ending:
    """End the run."""
    await end_run(services, spec, ending)
    return ending


@DBOS.workflow(name="plan.v1", max_recovery_attempts=50)
async def plan(spec: RunSpec) -> Ending:
    """Run `plan` to its ending."""
    return await finish(spec, ending_from_result(await result_or_error(_run_to_end(spec))))


async def _run_to_end(spec: RunSpec) -> Ending:
    result = await judge(spec, await _analyse_with_waits(spec))
    has_written = await emit(spec, result)
    return decide_ending(result, spec.task_as(WritePlan).file, is_edited=not has_written)


async def _analyse_with_waits(spec: RunSpec) -> AgentCall:
    """Ask the agent, and wait for rate limits; any other failure is an answer that the plan reports."""
    agent = spec.agent.name
    rotation = AgentRotation((agent,))
    while True:
        call = await analyse(spec)
        if not isinstance(call.outcome, RateLimited):
            return call
        rotation = rotation.after_limit(call.outcome)
        if rotation.find_ending(spec.limits):
            return call
        wait_s = await sleep_as_planned(plan_wait(spec, "analysis", agent, call.outcome, rotation))
        rotation = rotation.after_wait(agent, call.outcome, wait_s)
