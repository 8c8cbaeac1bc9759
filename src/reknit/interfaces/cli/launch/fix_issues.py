"""`reknit fix issues` for a person: the plan first, then the run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.app.runs import foreground
from reknit.app.start import readiness
from reknit.app.start.fix_issues import IssuesPlan, plan_fix_issues
from reknit.core.fix_issues.forecast import batch_line, forecast_document, forecast_lines, who
from reknit.core.runs.spec import beside
from reknit.interfaces.cli.launch.run import queued, run_and_report, sandbox_notice
from reknit.interfaces.cli.options.issues import chosen
from reknit.interfaces.cli.options.retype import typed_again
from reknit.interfaces.cli.output.echo import echo
from reknit.interfaces.cli.output.lines import columns


def fix_issues(
    place: Installation, folder: Path, given: Mapping[str, Any], flags: Mapping[str, Any], form: str, *,
    again: bool = False, dry_run: bool = False, queue: bool = False,
) -> int:  # fmt: skip
    """`given`: the options that narrow the selection of issues."""
    wanted = chosen(given, UserRepository.find(str(folder)).root)
    plan = plan_fix_issues(place, folder, wanted, flags, again=again)
    if dry_run:
        return _dry_run(plan, readiness.unready(place, plan.spec), form)
    readiness.check(place, plan.spec)
    _head(plan)
    if queue:
        return queued(place, plan.spec, form)
    return run_and_report(place, form, lambda voice: foreground.start(place, plan.spec, voice.tell, voice.tick))


def _dry_run(plan: IssuesPlan, unready: Mapping[str, str], form: str) -> int:
    target, limits, fixers = plan.target, plan.spec.limits, _fixers(plan)
    if form == "json":
        echo(json.dumps(forecast_document(target, limits, plan.prospect, fixers, unready)))
        return 0
    count, batches = len(plan.issues), target.batches
    echo(f"{count} issue(s) in {len(batches)} batch(es); nothing was started and no model was called")
    for batch in batches:
        echo(batch_line(batch, plan.issues, columns()))
    echo(f"  who       {who(target, fixers, unready)}")
    for line in forecast_lines(target, limits, plan.prospect):
        echo(line)
    echo(f"  next      {typed_again(click.get_current_context(), but=('dry_run', 'form'))}")
    return 0


def _fixers(plan: IssuesPlan) -> list[str]:
    return [agent.name for agent in plan.spec.agents]


def _head(plan: IssuesPlan) -> None:
    spec, target = plan.spec, plan.target
    size = f"{len(plan.issues)} issue(s) in {len(target.batches)} batch(es), at most ${spec.limits.budget_usd:.2f}"
    echo(f"{spec.run_id}  {size}", err=True)
    echo(f"  {who(target, _fixers(plan))}", err=True)
    left_out = [f"left out: {count} {why}" for why, count in plan.prospect.passed_over.items()]
    dirty = plan.uncommitted
    what = f"{len(dirty)} file(s) with issues have uncommitted changes, e.g. {dirty[0]}" if dirty else ""
    beside_it = beside(spec)
    unseen = [f"{what}: the run repairs commit {spec.base[:7]}"] if dirty else []
    unseen += [beside_it] if beside_it else []
    for note in (*sandbox_notice(spec), *left_out, *unseen):
        echo(f"  note  {note}", err=True)
