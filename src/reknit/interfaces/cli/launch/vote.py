"""Starts a vote for a person, and shows who votes and what it may cost before anything is spent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reknit.app.installation import Installation
from reknit.app.runs import foreground
from reknit.app.start import readiness
from reknit.app.start.vote import plan_vote
from reknit.core.vote.run_text import opening
from reknit.interfaces.cli.launch.run import queued, run_and_report
from reknit.interfaces.cli.output.echo import echo


def vote_on(
    place: Installation, folder: Path, number: int | None, flags: Mapping[str, Any], form: str, *,
    slug: str = "", queue: bool = False,
) -> int:  # fmt: skip
    """`slug`: the repository it belongs to, if given."""
    plan = plan_vote(place, folder, number, flags, slug=slug)
    readiness.check(place, plan.spec)
    spec, target = plan.spec, plan.target
    echo(f"{spec.run_id}  #{target.number} {target.title}", err=True)
    echo(f"  {opening(target, spec.limits.budget_usd)}", err=True)
    for note in plan.notes:
        echo(f"  note  {note}", err=True)
    if queue:
        return queued(place, spec, form)
    return run_and_report(place, form, lambda voice: foreground.start(place, spec, voice.tell, voice.tick))
