"""`reknit review`: reviewers read a change, and what they find is fixed."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reknit.interfaces.cli.commands.fix import DETACH, QUEUE, pull_named
from reknit.interfaces.cli.options.allow import ALLOW
from reknit.interfaces.cli.options.format import REVIEW_FORMAT
from reknit.interfaces.cli.options.settings import AGENT, BOX, BUDGET, settings
from reknit.interfaces.cli.output.echo import echo

if TYPE_CHECKING:
    from reknit.app.installation import Installation


@click.command()
@click.option("--reviewer", "names", multiple=True, metavar="NAME", help="only this one; may be given several times")
@click.option("--strict", is_flag=True, help="fix the findings of every level, not only of blocking reviewers")
@click.option("--report-only", is_flag=True, help="write the findings to PROGRESS.txt and fix nothing")
@click.option("--staged", is_flag=True, help="review what is staged instead of the commits of the branch")
@click.option("--base", metavar="REV", default="", help="compare with this  [default: where the branch will be merged]")
@click.option("--pr", "pull", callback=pull_named, metavar="N", help="report on pull request N, by number or URL")
@click.option("--resume", metavar="RUN", help="fix what PROGRESS.txt lists now, after a review with --report-only")
@click.option("--list", "is_list", is_flag=True, help="list the reviewers and stop")
@AGENT
@BUDGET
@ALLOW
@BOX
@QUEUE
@DETACH
@REVIEW_FORMAT
def review(
    names: tuple[str, ...], base: str, pull: tuple[int | None, str], resume: str | None, form: str, *,
    strict: bool, report_only: bool, staged: bool, is_list: bool, queue: bool, detach: bool,
) -> int:  # fmt: skip
    """Have reviewers read the commits of the current branch, and fix what blocking reviewers find.

    Each finding is written to PROGRESS.txt, and each fix is one commit on a branch `reknit/RUN`. PROGRESS.txt is the
    only file in your working tree that is written.
    """
    from reknit.app.installation import installation

    place, folder = installation(os.environ), Path.cwd()
    if is_list:
        return _list(place, folder, base, form)
    from reknit.app.start.review import ReviewRequest, plan_resumed_review, plan_review, plan_review_of_pull
    from reknit.interfaces.cli.launch.start import start_run

    if resume:
        if names or report_only or staged or base or pull[0]:
            raise click.UsageError("--resume takes the change and the reviewers of that run")
        plan = plan_resumed_review(place, folder, resume, settings(), strict=strict)
    else:
        wanted = ReviewRequest(names, strict=strict, report_only=report_only, staged=staged, base=base)
        if pull[0] and (staged or base or strict):
            raise click.UsageError("--pr reports on the pull request as it is; `reknit fix pr` repairs it")
        of_pull = plan_review_of_pull(place, folder, pull, wanted, settings()) if pull[0] else None
        plan = of_pull or plan_review(place, folder, wanted, settings())
    return start_run(place, plan, form, queue=queue, detach=detach)


def _list(place: "Installation", folder: Path, base: str, form: str) -> int:
    from reknit.app.start.review import list_reviewers
    from reknit.core.review.reviewer_list import as_json, reviewer_lines

    known, notes = list_reviewers(place, folder, base, settings())
    for note in notes:
        echo(note, err=True)
    echo(json.dumps(as_json(known), indent=2) if form == "json" else "\n".join(reviewer_lines(known)))
    return 0
