"""Renders the events and endings of a run that makes a plan."""

from collections.abc import Mapping
from typing import Any

from reknit.core.agents.call import AgentCall
from reknit.core.capability import StoredRun
from reknit.core.plan.decision import PlanResult
from reknit.core.plan.task import WritePlan
from reknit.core.planning.plan_file.plan import PlanFile, PlanStatus
from reknit.core.planning.variants.scoring import CONFIRM
from reknit.core.runs.event import Event, Mark
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import describe_spending
from reknit.core.text.format import format_seconds, pluralize, render_field, to_one_line

PHASES = {
    "analyse": "the agent proposes a plan",
    "plan_wait_plan": "waiting for the agent",
    "validate_plan": "checks the proposal",
    "emit_plan": "writes the plan",
    "finish_plan": "ends",
}
"""The steps, for people."""
_MARKS: dict[PlanStatus, Mark] = {"current": "ok", "provisional": "note", "fallback": "bad"}
NAME_TESTS = 'in reknit.toml: [checks.tests] run = "pytest -q"'
SHOWN = 5
"""Maximum number of broken rules in the ending."""


def render_heading(spec: RunSpec) -> list[str]:
    """Return the lines shown before the run starts."""
    target = spec.task_as(WritePlan)
    first = next((score for score in target.scores if not score.disqualifying), None)
    best = "no variant has a signal"
    if first and first.score_0_100:
        best = f"{first.variant} fits best by the rules ({first.score_0_100} of 100)"
    return [
        f"{spec.run_id}  plan {target.intent.topic}, as of {target.context.as_of}",
        f"  {spec.agent.name} proposes, read-only, at most ${spec.limits.budget_usd:.2f}; {best}",
    ]


def report_analysis_start(agent: str) -> Event:
    """Report that the agent begins to read the repository."""
    return Event("analysis", "..", "analysis", f"{agent} reads the repository", {"agent": agent})


def report_analysis(agent: str, call: AgentCall) -> Event:
    """Report the agent's answer."""
    result = PlanResult(call, None)
    data = {"agent": agent, "refused": len(call.refused_answers), "cost_usd": call.usage.cost_usd}
    if result.proposal:
        again = ", after one answer that was refused" if call.refused_answers else ""
        return Event("analysis", "ok", "analysis", f"{agent} proposes {result.proposal.primary}{again}", data)
    return Event("analysis", "bad", "analysis", f"no plan by {agent}: {to_one_line(result.errors[-1])}", data)


def report_validation(result: PlanResult) -> Event:
    """Report how many rules hold."""
    outcome = pluralize(len(result.failures), "failure") if result.failures else "every rule holds"
    text = f"{result.status}: {outcome}" if result.validation else "there is no proposal to check"
    return Event(
        "validation", _MARKS[result.status], "rules", text, {"status": result.status, "errors": list(result.errors)}
    )


def report_emission(plan: PlanFile, file: str, *, is_saved: bool) -> Event:
    """Report whether the plan was written."""
    text = file if is_saved else f"{file} was edited meanwhile: not overwritten"
    return Event("emission", "ok" if is_saved else "bad", "written", text, {"file": file, "status": plan.status})


def plan_to_document(target: WritePlan, plan: PlanFile, result: PlanResult) -> dict[str, object]:
    """Return the plan for `--format json`."""
    variant = next((candidate for candidate in target.variants if candidate.name == plan.variant_recommendation), None)
    confirm = f" {CONFIRM}" if variant and "confirmed" in variant.floors else ""
    command = f"reknit fix plan {target.file} --as {plan.variant_recommendation}{confirm}"
    lacks_tests = bool(variant and variant.flow != "report" and not target.context.inventory.tests)
    return {
        "file": target.file,
        "status": plan.status,
        "variant_recommendation": plan.variant_recommendation,
        "variant_alternate": plan.variant_alternate or None,
        "confidence": plan.confidence_0_100,
        "tasks": len(plan.tasks),
        "failed_stage": result.failed_stage,
        "errors": list(result.errors) if result.status != "current" else [],
        "needs_grant": list(result.needs_grant),
        "needs_tests": lacks_tests,
        "command": command if plan.status == "current" else None,
    }


def explain_no_handover(plan: Mapping[str, Any]) -> str:
    """Return why a current plan is not run at once; empty: its variant may run."""
    alternate = plan["variant_alternate"]
    return f"not handed over: the plan names {to_one_line(alternate)} too, so a person chooses" if alternate else ""


def read_stored_plan(stored: StoredRun) -> dict[str, object]:
    """Return the plan document of a stored run."""
    return {"plan": dict(stored.documents.get("plan") or {}) or None}


def render_ending(stored: StoredRun, width: int) -> str:
    """Return the text of an ended run."""
    run = stored.run
    took = format_seconds((run.ended_at or run.created_at) - run.created_at)
    first = f"{run.ending}   {took}, {describe_spending(run)}"
    return "\n".join([first, *render_field("why", to_one_line(run.reason), width), *show_lines(stored, width)])


def show_lines(stored: StoredRun, width: int) -> list[str]:
    """Return the lines about the plan and the next step."""
    plan = stored.documents.get("plan") or {}
    if not plan:
        return []
    file, status = str(plan["file"]), plan["status"]
    lines = render_field("plan", file, width)
    for error in plan["errors"][:SHOWN]:
        lines += render_field("rule", to_one_line(error), width)
    if len(plan["errors"]) > SHOWN:
        lines += render_field("rule", f"and {len(plan['errors']) - SHOWN} more, all of them in the file", width)
    for path in plan["needs_grant"]:
        lines += render_field("grant", f"{path} is a test or configuration: add it to `grants` to allow it", width)
    if plan.get("needs_tests") and status != "fallback":
        lines += render_field(
            "tests", f"none were found, and a variant that changes files needs some: {NAME_TESTS}", width
        )
    if status == "fallback":
        lines += render_field("read", f"{file}; no variant runs on it", width)
    return lines
