"""`reknit review`, `vote` and `check`: have a change judged; `review` also fixes the findings."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reknit.interfaces.cli.commands.fix import DETACH, QUEUE, announce_pull_search, parse_pull
from reknit.interfaces.cli.options.settings import (
    AGENT,
    ALLOW,
    BOX,
    BUDGET,
    FORMAT,
    NO_COMMENT,
    REVIEW_FORMAT,
    collect_settings,
    setting,
)
from reknit.interfaces.cli.output.echo import echo

if TYPE_CHECKING:
    from reknit.app.installation import Installation


@click.command()
@click.option("--reviewer", "names", multiple=True, metavar="NAME", help="only this one; may be given several times")
@click.option("--strict", is_flag=True, help="fix the findings of every level, not only of blocking reviewers")
@click.option("--report-only", is_flag=True, help="write the findings to PROGRESS.txt and fix nothing")
@click.option("--again", is_flag=True, help="also try findings that an earlier run failed to fix")
@click.option("--staged", is_flag=True, help="review what is staged instead of the commits of the branch")
@click.option("--base", metavar="REV", default="", help="compare with this  [default: where the branch will be merged]")
@click.option("--pr", "pull", callback=parse_pull, metavar="N", help="report on pull request N, by number or URL")
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
    strict: bool, report_only: bool, again: bool, staged: bool, is_list: bool, queue: bool, detach: bool,
) -> int:  # fmt: skip
    """Have reviewers read the commits of the current branch, and fix what blocking reviewers find.

    Each finding is written to PROGRESS.txt, and each fix is one commit on a branch `reknit/RUN`. PROGRESS.txt is the
    only file in your working tree that is written.
    """
    from reknit.app.installation import find_installation

    installation, folder = find_installation(os.environ), Path.cwd()
    if is_list:
        return _list(installation, folder, base, form)
    from reknit.app.start.review import ReviewRequest, plan_resumed_review, plan_review, plan_review_of_pull
    from reknit.interfaces.cli.launch.start import start_run

    if resume:
        if names or report_only or again or staged or base or pull[0]:
            raise click.UsageError("--resume takes the change and the reviewers of that run")
        plan = plan_resumed_review(installation, folder, resume, collect_settings(), strict=strict)
    else:
        request = ReviewRequest(names, strict=strict, report_only=report_only, again=again, staged=staged, base=base)
        if report_only and again:
            raise click.UsageError("--report-only fixes nothing, so --again has no effect")
        if pull[0] and (staged or base or strict or again):
            raise click.UsageError("--pr reports on the pull request as it is; `reknit fix pr` repairs it")
        of_pull = plan_review_of_pull(installation, folder, pull, request, collect_settings()) if pull[0] else None
        plan = of_pull or plan_review(installation, folder, request, collect_settings())
    return start_run(installation, plan, form, queue=queue, detach=detach)


def _list(installation: "Installation", folder: Path, base: str, form: str) -> int:
    from reknit.app.start.review import list_reviewers
    from reknit.core.review.reviewer_list import render_reviewer_table, to_json

    reviewers, notes = list_reviewers(installation, folder, base, collect_settings())
    for note in notes:
        echo(note, err=True)
    echo(json.dumps(to_json(reviewers), indent=2) if form == "json" else "\n".join(render_reviewer_table(reviewers)))
    return 0


@click.command()
@click.argument("pull", callback=parse_pull, required=False, metavar="[N]")
@setting(
    "--agents", "vote.agents", lambda names: tuple(name.strip() for name in names.split(",")), metavar="A,B",
    help="the voters, from two vendors  [default: the first two signed in]",
)  # fmt: skip
@BUDGET
@NO_COMMENT
@QUEUE
@FORMAT
def vote(pull: tuple[int | None, str], form: str, *, queue: bool) -> int:
    """Have two agents from different vendors judge pull request N, or that of the current branch: 0 to 100 each.

    Neither sees the other's vote, and no vote is shown before both are in. If their average does not approve it, a
    person must decide. N is its number or URL. Nothing is changed; one comment reports both votes.
    """
    number, slug = pull
    announce_pull_search(number, form)
    from reknit.app.installation import find_installation
    from reknit.app.start.vote import plan_vote
    from reknit.interfaces.cli.launch.start import start_run

    installation = find_installation(os.environ)
    return start_run(
        installation, plan_vote(installation, Path.cwd(), number, collect_settings(), slug=slug), form, queue=queue
    )


@click.command()
@ALLOW
@FORMAT
def check(form: str) -> int:
    """Judge what is staged before an agent commits it: configuration, reviewer files, and the rules of the gate.

    For a pre-commit hook. It calls no model, starts no run and changes nothing. Exit code 0: the commit is accepted;
    1: it is refused, a line for each reason (a test was removed or skipped, a lockfile or CI was changed …); 2: the
    configuration is wrong. A person may do what an agent may not: `git commit --no-verify`, or allow it.
    """
    from reknit.app.check import check_commit
    from reknit.app.installation import find_installation
    from reknit.core.gate.commit_check import check_to_document, render_check

    checked = check_commit(find_installation(os.environ), Path.cwd(), collect_settings())
    code = 0 if checked.verdict.is_accepted else 1
    if form == "json":
        echo(json.dumps(check_to_document(checked.verdict, checked.waivers, code)))
        return code
    for line in render_check(checked.verdict, checked.waivers):
        echo(line)
    return code
