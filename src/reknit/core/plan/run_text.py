"""Texts of a run that makes a plan."""

from collections.abc import Mapping
from typing import Any

from reknit.core.agents.call import AgentCall
from reknit.core.capability import StoredRun
from reknit.core.plan.result import PlanResult
from reknit.core.planning.plan_file.plan import PlanFile, PlanStatus
from reknit.core.planning.targets import PlanTarget
from reknit.core.planning.variants.floors import CONFIRM
from reknit.core.runs.event import Event, Mark
from reknit.core.runs.spec import RunSpec
from reknit.core.text.format import counted, one_line, seconds, spent_of
from reknit.core.text.layout import field

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
"""Rules that did not hold, in the ending."""


def heading(spec: RunSpec) -> list[str]:
    target = spec.plan_target
    first = next((each for each in target.scores if not each.disqualifying), None)
    best = "no variant has a signal"
    if first and first.score_0_100:
        best = f"{first.variant} fits best by the rules ({first.score_0_100} of 100)"
    return [
        f"{spec.run_id}  plan {target.intent.topic}, as of {target.context.as_of}",
        f"  {spec.agent.name} proposes, read-only, at most ${spec.limits.budget_usd:.2f}; {best}",
    ]


def begins(agent: str) -> Event:
    return Event("analysis", "..", "analysis", f"{agent} reads the repository", {"agent": agent})


def heard(agent: str, call: AgentCall) -> Event:
    result = PlanResult(call, None)
    data = {"agent": agent, "refused": len(call.refused_answers), "cost_usd": call.usage.cost_usd}
    if result.proposal:
        again = ", after one answer that was refused" if call.refused_answers else ""
        return Event("analysis", "ok", "analysis", f"{agent} proposes {result.proposal.primary}{again}", data)
    return Event("analysis", "bad", "analysis", f"no plan by {agent}: {one_line(result.errors[-1])}", data)


def judged(result: PlanResult) -> Event:
    held = counted(len(result.failures), "failure") if result.failures else "every rule holds"
    text = f"{result.status}: {held}" if result.validation else "there is no proposal to check"
    return Event(
        "validation", _MARKS[result.status], "rules", text, {"status": result.status, "errors": list(result.errors)}
    )


def emitted(plan: PlanFile, file: str, *, is_written: bool) -> Event:
    text = file if is_written else f"{file} was edited meanwhile: not overwritten"
    return Event("emission", "ok" if is_written else "bad", "written", text, {"file": file, "status": plan.status})


def plan_document(target: PlanTarget, plan: PlanFile, result: PlanResult) -> dict[str, object]:
    chosen = next((each for each in target.variants if each.name == plan.variant_recommendation), None)
    confirm = f" {CONFIRM}" if chosen and "confirmed" in chosen.floors else ""
    command = f"reknit variant {plan.variant_recommendation} --plan {target.file}{confirm}"
    lacks_tests = bool(chosen and chosen.flow == "fix issues" and not target.context.inventory.tests)
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


def why_not_handed_over(plan: Mapping[str, Any]) -> str:
    """Of a plan that is current. Empty: its variant may run at once."""
    alternate = plan["variant_alternate"]
    return f"not handed over: the plan names {one_line(alternate)} too, so a person chooses" if alternate else ""


def stored_plan(stored: StoredRun) -> dict[str, object]:
    return {"plan": dict(stored.documents.get("plan") or {}) or None}


def ending_text(stored: StoredRun, width: int) -> str:
    run = stored.run
    took = seconds((run.ended_at or run.created_at) - run.created_at)
    first = f"{run.ending}   {took}, {spent_of(run.spent_usd, run.budget_usd)}"
    return "\n".join([first, *field("why", one_line(run.reason), width), *show_lines(stored, width)])


def show_lines(stored: StoredRun, width: int) -> list[str]:
    plan = stored.documents.get("plan") or {}
    if not plan:
        return []
    file, status = str(plan["file"]), plan["status"]
    lines = field("plan", file, width)
    for error in plan["errors"][:SHOWN]:
        lines += field("rule", one_line(error), width)
    for path in plan["needs_grant"]:
        lines += field("grant", f"{path} is a test or configuration: add it to `grants` to allow it", width)
    if plan.get("needs_tests") and status != "fallback":
        lines += field("tests", f"none were found, and a variant that changes files needs some: {NAME_TESTS}", width)
    if status == "current":
        lines += field("next", plan["command"], width)
    elif status == "provisional":
        lines += field("next", f"read {file}; to accept it, change its status to current", width)
    else:
        lines += field("next", f"read {file}; no variant runs on it", width)
    return lines
