"""`reknit vote`: two vendors judge a pull request, blind to each other."""

import os
from pathlib import Path
from typing import Any

import click

from reknit.interfaces.cli.commands.fix import BUDGET, QUEUE, pull_named, say_what_is_sought
from reknit.interfaces.cli.options.format import FORMAT


def _names(_context: click.Context, _parameter: click.Parameter, given: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in given.split(",")) if given else ()


@click.command()
@click.argument("pull", callback=pull_named, required=False, metavar="[N]")
@click.option(
    "--agents", callback=_names, metavar="A,B", help="the voters, from two vendors  [default: the first two signed in]"
)
@BUDGET
@click.option("--no-comment", is_flag=True, help="do not comment on the pull request")
@QUEUE
@FORMAT
def vote(
    pull: tuple[int | None, str], agents: tuple[str, ...], budget: float | None, form: str,
    *, no_comment: bool, queue: bool,
) -> int:  # fmt: skip
    """Have two agents from different vendors judge pull request N, or that of the current branch: 0 to 100 each.

    Neither sees the other's vote, and no vote is shown before both are in. If their average does not approve it, a
    person must decide. N is its number or URL. Nothing is changed; one comment reports both votes.
    """
    number, slug = pull
    say_what_is_sought(number, form)
    from reknit.app.installation import installation
    from reknit.interfaces.cli.launch.vote import vote_on

    flags: dict[str, Any] = {"loop": {"budget_usd": budget}} if budget is not None else {}
    flags |= {"vote": {"agents": agents}} if agents else {}
    flags |= {"forge": {"comment": False}} if no_comment else {}
    return vote_on(installation(os.environ), Path.cwd(), number, flags, form, slug=slug, queue=queue)
