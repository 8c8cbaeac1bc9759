"""`reknit variant`: do what a plan says, if the plan lets it."""

import os
from pathlib import Path

import click

from reknit.interfaces.cli.commands.fix import DETACH, QUEUE
from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.options.settings import AGENT, BOX, BUDGET, settings


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--plan", required=True, metavar="FILE", help="the plan, by its file or its topic")
@AGENT
@BUDGET
@BOX
@click.option("--confirm-burn-everything", "confirmed", is_flag=True, help="what the variant world-breaker needs")
@QUEUE
@DETACH
@FORMAT
def variant(name: str, plan: str, form: str, *, confirmed: bool, queue: bool, detach: bool) -> int:
    """Work on the tasks of a plan as the variant NAME. One commit on a branch `reknit/RUN`.

    The plan must be `status: current`, your own, and name the variant. At the end its acceptance criteria are checked,
    and their results are written under each in the plan: the only file in your working tree that is written.
    """
    from reknit.app.installation import installation
    from reknit.app.start.planning.variant import VariantRequest, plan_variant
    from reknit.interfaces.cli.launch.start import start_run

    place = installation(os.environ)
    made = plan_variant(place, Path.cwd(), VariantRequest(name, plan, confirmed), settings())
    return start_run(place, made, form, queue=queue, detach=detach)
