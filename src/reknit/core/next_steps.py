"""Lists what a person can do after a run: first the one command that helps, complete and ready to paste."""

from collections.abc import Sequence
from shlex import quote
from typing import Any, NamedTuple

from reknit.core.capability import StoredRun
from reknit.core.runs.ending import ENVIRONMENT, LOGIN, NO_SUCH_TEST, REMEMBERED, UNPROVEN_BY_HOLDOUT
from reknit.core.runs.view import RunView, get_task, render_take_command


class Step(NamedTuple):
    """A command, and a word for what it is good for."""

    label: str
    command: str


def list_next_steps(stored: StoredRun) -> tuple[Step, ...]:
    """Return the commands that help after the ending, the most useful one first. The first matching row wins."""
    run, kind = stored.run, stored.run.kind
    if kind == "plan":
        return _list_plan_steps(stored)
    if kind == "fix pr":
        return _list_pull_steps(stored)
    steps = _list_steps_after_landing(stored) if stored.receipts and not run.undone_at else ()
    if run.ending in ("FIXED", "PARTIAL") and steps:
        return steps
    return _label((*_suggest(stored), *(step.command for step in steps)))


def _list_steps_after_landing(stored: StoredRun) -> tuple[Step, ...]:
    run = stored.run
    left = (Step("left", f"reknit issues list --run {run.id}"),) if _has_open_issues(run) else ()
    look = Step("look", f"reknit show {run.id} --diff")
    return (Step("next", render_take_command(run)), look, Step("undo", f"reknit undo {run.id}"), *left)


def _has_open_issues(run: RunView) -> bool:
    return run.kind == "fix issues" and bool(run.detail.get("left"))


def _list_pull_steps(stored: StoredRun) -> tuple[Step, ...]:
    run = stored.run
    pull = ("git pull",) if run.detail.get("fixed") else ()
    return _label((*pull, *_suggest(stored)) if run.ending == "CLEAN" else (*_suggest(stored), *pull))


def _list_plan_steps(stored: StoredRun) -> tuple[Step, ...]:
    plan: Any = stored.documents.get("plan") or {}
    if plan.get("status") == "current" and plan.get("command"):
        return (Step("next", str(plan["command"])),)
    if plan.get("status") == "provisional":
        return (Step("next", f"reknit plan accept {plan['file']}"),)
    return _label(_suggest(stored))


def _label(commands: Sequence[str]) -> tuple[Step, ...]:
    return tuple(Step("" if place else "next", command) for place, command in enumerate(dict.fromkeys(commands)))


def _suggest(stored: StoredRun) -> tuple[str, ...]:
    """Return the commands by ending and cause; they never begin with a permission for what looks like a cheat."""
    run = stored.run
    again, explain = get_command(run), f"reknit show {run.id} --why"
    last_change = (f"reknit show {run.id} --attempt {len(stored.attempts)}",) if stored.attempts else ()
    cause = run.detail.get("cause")
    if run.ending == "BLOCKED":
        return _suggest_after_block(run, cause, again, explain, last_change)
    if run.ending == "DEFERRED" and cause == REMEMBERED:
        return (f"{again} --again", explain)
    if run.ending == "DEFERRED" and get_task(run).get("report_only"):
        return (f"reknit review --resume {run.id}",)
    if run.ending == "UNVERIFIED" and run.kind == "fix pr":
        return (again, explain)
    if run.ending == "UNVERIFIED" and stored.receipts:
        return (f"reknit show {run.id} --diff",)
    if run.ending == "UNVERIFIED" and run.kind == "fix tests" and not run.reason.startswith(_CHECKED_ELSEWHERE):
        return ("reknit doctor --compare", explain)
    if run.ending == "EXHAUSTED":
        return (_raise_limit(run, again), explain)
    if run.ending == "OVER_BUDGET":
        return (f"{again} --budget {2 * run.budget_usd:g}", explain)
    if run.ending == "CANCELLED":
        return (again,)
    if run.ending == "CLEAN":
        return (f"reknit show {run.id}",)
    return (*last_change, explain) if run.ending == "DEFERRED" else (explain,)


_CHECKED_ELSEWHERE = (NO_SUCH_TEST, UNPROVEN_BY_HOLDOUT)
"""Reasons that a comparison with a run outside the box does not explain."""


def _suggest_after_block(
    run: RunView, cause: object, again: str, explain: str, last_change: tuple[str, ...]
) -> tuple[str, ...]:
    if cause in (LOGIN, "agent"):
        return (f"reknit doctor --agent {quote(run.agent)}" if run.kind == "fix tests" else "reknit doctor", again)
    if cause == "protected" and last_change:
        return (f"{last_change[0]} | git apply",)
    allow = run.detail.get("allow")
    if isinstance(allow, str) and allow:
        return (f"{again} {allow}", *last_change)
    if cause == ENVIRONMENT:
        return ("reknit doctor --compare", explain)
    return (*last_change, explain)


def _raise_limit(run: RunView, again: str) -> str:
    task, limits = get_task(run), run.spec.get("limits")
    iterations = task.get("limits", {}).get("iterations") if run.kind == "fix pr" else None
    if iterations and "loop.timeout_s" not in run.reason:
        return f"{again} --max-iterations {min(100, 2 * iterations)}"
    timeout_s = limits.get("timeout_s", 3600.0) if isinstance(limits, dict) else 3600.0
    return f"REKNIT_LOOP__TIMEOUT_S={2 * timeout_s:g} {again}"


def get_command(run: RunView) -> str:
    """Return the command that started the run, as it was typed."""
    number = get_task(run).get("number") if run.kind in ("fix pr", "vote") else None
    return str(run.spec.get("command") or f"reknit {run.kind}{f' {number}' if number else ''}")
