"""`reknit fix issues` for a person: the plan first, then the run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from reknit.adapters.vcs.user_repository import UserRepository
from reknit.app import foreground, ready
from reknit.app.installation import Installation
from reknit.app.start_issues import IssuesPlan, plan_fix_issues
from reknit.core.forecast import batch_line, forecast_document, forecast_lines
from reknit.interfaces.cli.issue_options import chosen
from reknit.interfaces.cli.run_command import queued, told, walls


def fix_issues(
    place: Installation, folder: Path, given: Mapping[str, Any], flags: Mapping[str, Any], form: str, *,
    again: bool = False, dry_run: bool = False, queue: bool = False,
) -> int:  # fmt: skip
    """`given`: what narrows the choice of issues, as options have it."""
    wanted = chosen(given, UserRepository.find(str(folder)).root)
    plan = plan_fix_issues(place, folder, wanted, flags, again=again)
    if dry_run:
        return _dry_run(plan, form)
    ready.check(place, plan.spec)
    _head(plan)
    if queue:
        return queued(place, plan.spec, form)
    return told(place, form, lambda voice: foreground.start(place, plan.spec, voice.tell, voice.tick))


def _dry_run(plan: IssuesPlan, form: str) -> int:
    facts: dict[str, Any] = {"others": plan.others, "call_usd": plan.call_usd, "passed_over": plan.passed_over}
    if form == "json":
        click.echo(json.dumps(forecast_document(plan.target, plan.spec.limits, **facts)))
        return 0
    count, batches = len(plan.issues), plan.target.batches
    click.echo(f"{count} issue(s) in {len(batches)} batch(es); nothing was started and no model was called")
    for batch in batches:
        click.echo(batch_line(batch, plan.issues))
    click.echo(f"  who       {_who(plan)}")
    for line in forecast_lines(plan.target, plan.spec.limits, **facts):
        click.echo(line)
    click.echo("  next      reknit fix issues")
    return 0


def _who(plan: IssuesPlan) -> str:
    fixers = ", then ".join(agent.name for agent in plan.spec.agents)
    if plan.target.challenger is None:
        return f"{fixers} fixes; nobody challenges: {plan.target.unchallenged}"
    mark, rounds = f"{plan.target.limits.threshold_0_100:g}", plan.target.limits.rounds
    return f"{fixers} fixes, {plan.target.challenger.name} challenges ({mark} of 100, at most {rounds} rounds)"


def _head(plan: IssuesPlan) -> None:
    spec, target = plan.spec, plan.target
    size = f"{len(plan.issues)} issue(s) in {len(target.batches)} batch(es), at most ${spec.limits.budget_usd:.2f}"
    click.echo(f"{spec.run_id}  {size}", err=True)
    click.echo(f"  {_who(plan)}", err=True)
    left_out = [f"left out: {count} {why}" for why, count in plan.passed_over.items()]
    dirty = plan.uncommitted
    what = f"{len(dirty)} file(s) with issues are not committed as they are, e.g. {dirty[0]}" if dirty else ""
    unseen = [f"{what}: the commit {spec.base[:7]} is repaired"] if dirty else []
    for note in (*walls(spec), *left_out, *unseen):
        click.echo(f"  note  {note}", err=True)
