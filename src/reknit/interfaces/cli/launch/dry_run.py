"""`reknit fix issues --dry-run`: the batches and what they may cost."""

import json

import click

from reknit.app.installation import Installation
from reknit.app.start import readiness
from reknit.app.start.fix_issues import IssuesPlan
from reknit.core.fix_issues.forecast import batch_line, forecast_document, forecast_lines, who
from reknit.interfaces.cli.options.retype import typed_again
from reknit.interfaces.cli.output.echo import echo
from reknit.interfaces.cli.output.lines import columns


def show_forecast(place: Installation, plan: IssuesPlan, form: str) -> int:
    target, limits, unready = plan.spec.issues_target, plan.spec.limits, readiness.unready(place, plan.spec)
    fixers = [agent.name for agent in plan.spec.agents]
    if form == "json":
        echo(json.dumps(forecast_document(target, limits, plan.prospect, fixers, unready)))
        return 0
    echo(f"{len(plan.issues)} issue(s) in {len(target.batches)} batch(es); nothing was started and no model was called")
    for batch in target.batches:
        echo(batch_line(batch, plan.issues, columns()))
    echo(f"  who       {who(target, fixers, unready)}")
    for line in forecast_lines(target, limits, plan.prospect):
        echo(line)
    echo(f"  next      {typed_again(click.get_current_context(), but=('dry_run', 'form'))}")
    return 0
