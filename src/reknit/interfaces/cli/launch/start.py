"""Announces a run and its cost, then runs it here or leaves it to a worker; or only shows a forecast."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from reknit.app.installation import Installation
from reknit.app.start.agents import check_agents, check_box, list_unready_agents
from reknit.app.start.new_spec import RunPlan
from reknit.app.start.queue import queue_run, start_worker
from reknit.core.capabilities import find_capability
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import RunView
from reknit.interfaces.cli.options.settings import retype_command
from reknit.interfaces.cli.output.echo import echo, print_coloured
from reknit.interfaces.cli.output.lines import terminal_columns

if TYPE_CHECKING:
    from reknit.app.start.fix_issues import IssuesPlan


_LEFT_OUT = ("queue", "detach", "form", "dry_run")
"""Options that say nothing about the work of the run."""


def start_run(
    installation: Installation, plan: RunPlan, form: str, *, queue: bool = False, detach: bool = False
) -> int:
    """Announce a run and its limits, then run it here or leave it to a worker."""
    spec = replace(plan.spec, command=retype_command(click.get_current_context(), but=_LEFT_OUT))
    check_agents(installation, spec)
    for line in find_capability(spec.kind).heading(spec):
        echo(line, err=True)
    for note in plan.notes:
        echo(f"  note  {note}", err=True)
    if detach:
        return run_in_background(installation, spec, form)
    return leave_to_worker(installation, spec, form) if queue else _run_here(installation, spec, form)


def _run_here(installation: Installation, spec: RunSpec, form: str) -> int:
    from reknit.app.runs import foreground  # late: the engine takes longer to load than to say what will run
    from reknit.interfaces.cli.launch.run import run_and_report

    check_box(spec)
    return run_and_report(
        installation,
        form,
        lambda output: foreground.start_here(installation, spec, output.tell, output.tick),
        spec.run_id,
        spec.kind,
    )


def leave_to_worker(installation: Installation, spec: RunSpec, form: str) -> int:
    """Queue the run. The worker tests the box, which is on its machine."""
    queue_run(installation, spec)
    run_id = spec.run_id
    if form == "json":
        echo(json.dumps({"schema": 1, "event": "queued", "run": run_id}))
    else:
        echo(f"{run_id} is queued: `reknit worker` takes it, `reknit watch {run_id}` follows it")
    return 0


def run_in_background(installation: Installation, spec: RunSpec, form: str) -> int:
    """Start a worker for the run. It has no terminal, so the box is tested here, while somebody reads."""
    check_box(spec)
    queue_run(installation, spec)
    return start_background_worker(installation, spec.run_id, form)


def start_background_worker(installation: Installation, run_id: str, form: str) -> int:
    """Start a worker that takes the queued run, and say so."""
    start_worker(installation)
    if form == "json":
        echo(json.dumps({"schema": 1, "event": "detached", "run": run_id}))
    else:
        echo(f"{run_id} runs in the background: `reknit watch {run_id}` follows it")
    return 0


def show_waiting_fix(installation: Installation, run: RunView, form: str) -> int:
    """Print the run that has repaired this commit already, as if it had just ended. No agent is called again."""
    from reknit.core.run_text import build_ending_document, render_ending
    from reknit.store.database import open_store
    from reknit.store.runs.reader import RunReader

    stored = RunReader(open_store(installation.database)).stored(run)
    if form == "json":
        echo(json.dumps(build_ending_document(stored, 0)))
        return 0
    echo(f"{run.id} has repaired this commit, and its fix waits: no agent is called (`--again` overrides)\n", err=True)
    print_coloured(render_ending(stored, terminal_columns()))
    return 0


def show_limits(installation: Installation, plan: RunPlan, form: str) -> int:
    """Print what `reknit fix tests` would do and the most it could cost."""
    from reknit.core.fix_tests.capability import build_limits_document, render_limits

    unready = [f"{name} ({why})" for name, why in list_unready_agents(installation, plan.spec).items()]
    if form == "json":
        echo(json.dumps(build_limits_document(plan.spec, unready)))
        return 0
    for line in (
        *render_limits(plan.spec, unready, terminal_columns()),
        *(f"  note      {note}" for note in plan.notes if plan.spec.run_id not in note),
    ):
        echo(line)
    echo(f"  next      {retype_command(click.get_current_context(), but=('dry_run', 'form'))}")
    return 0


def show_forecast(installation: Installation, plan: "IssuesPlan", form: str) -> int:
    """Print the batches of `reknit fix issues --dry-run`, and their cost."""
    from reknit.core.fix_issues import forecast  # late: other runs have no forecast
    from reknit.core.fix_issues.task import FixIssues

    target, limits, unready = (
        plan.spec.task_as(FixIssues),
        plan.spec.limits,
        list_unready_agents(installation, plan.spec),
    )
    fixers = [agent.name for agent in plan.spec.agents]
    if form == "json":
        echo(json.dumps(forecast.build_forecast_document(target, limits, plan.prospect, fixers, unready)))
        return 0
    echo(f"{len(plan.issues)} issue(s) in {len(target.batches)} batch(es); nothing was started and no model was called")
    for batch in target.batches:
        echo(forecast.render_batch(batch, plan.issues, terminal_columns()))
    echo(f"  who       {forecast.describe_agents(target, fixers, unready)}")
    for line in forecast.render_forecast(target, limits, plan.prospect):
        echo(line)
    echo(f"  next      {retype_command(click.get_current_context(), but=('dry_run', 'form'))}")
    return 0
