"""`reknit vote`: two vendors judge a pull request, blind to each other."""

import os
from pathlib import Path

import click

from reknit.interfaces.cli.commands.fix import QUEUE, pull_named, say_what_is_sought
from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.options.settings import BUDGET, NO_COMMENT, setting, settings


@click.command()
@click.argument("pull", callback=pull_named, required=False, metavar="[N]")
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
    say_what_is_sought(number, form)
    from reknit.app.installation import installation
    from reknit.app.start.vote import plan_vote
    from reknit.interfaces.cli.launch.start import start_run

    place = installation(os.environ)
    return start_run(place, plan_vote(place, Path.cwd(), number, settings(), slug=slug), form, queue=queue)
