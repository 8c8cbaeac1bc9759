"""`reknit plan`: what should be done about a topic, by which variant, and how one will know that it is done."""

import json
import os
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reknit.core.planning.intent import CAPS
from reknit.interfaces.cli.commands.fix import DETACH, QUEUE
from reknit.interfaces.cli.options import questions
from reknit.interfaces.cli.options.settings import BOX, BUDGET, setting, settings
from reknit.interfaces.cli.output.echo import echo

if TYPE_CHECKING:
    from reknit.app.installation import Installation
    from reknit.app.start.planning.plan import PlanRequest

STAGES = ("explore", "score")


def _date(_context: click.Context, _parameter: click.Parameter, given: str | None) -> date:
    if given is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise click.BadParameter(f"{given!r} is not a date such as 2026-12-31") from None


@click.command()
@click.argument("topic")
@click.option("--description", metavar="TEXT", default="", help="the goal  [default: TOPIC.md at the top, if any]")
@click.option("--forbid", multiple=True, metavar="VARIANT", help="never recommend it; may be given several times")
@click.option("--cap", type=click.Choice(list(CAPS)), help="how long the work may take")
@click.option("--constraint", "constraints", multiple=True, metavar="TEXT", help="such as “no opus” or “stay under $5”")
@click.option("--yes", "--non-interactive", "is_silent", is_flag=True, help="ask nothing")
@click.option(
    "--auto-handoff", is_flag=True, help="ask nothing, and run the variant if the plan is current and names one only"
)
@click.option(
    "--accept", "is_accepted", is_flag=True, help="let variants run on the plan TOPIC (or its file) as it is now"
)
@click.option("--replace", "replaces", is_flag=True, help="overwrite a plan that a person has edited")
@click.option("--as-of", callback=_date, metavar="DATE", help="what counts as today  [default: today, in UTC]")
@click.option("--stage", type=click.Choice(STAGES), help="stop after this stage and show what it found")
@click.option("--confirm-burn-everything", "confirmed", is_flag=True, help="allow world-breaker")
@setting("--agent", "plan.agent", help="the agent that proposes  [default: `plan.agent`, else `fixer`]")
@setting("--model", "plan.model", help="its model  [default: `plan.model`, else the vendor's middle model]")
@BUDGET
@BOX
@QUEUE
@DETACH
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "yaml"]), default="text",
    help="text for people, json for programs; yaml with --stage",
)  # fmt: skip
def plan(
    topic: str, description: str, forbid: tuple[str, ...], cap: str | None, constraints: tuple[str, ...], as_of: date,
    stage: str | None, form: str, *, is_silent: bool, auto_handoff: bool, is_accepted: bool, replaces: bool,
    confirmed: bool, queue: bool, detach: bool,
) -> int:  # fmt: skip
    """Make a plan for TOPIC: which variant should do which tasks, and how one will know that they are done.

    The repository is explored and the variants are scored without a model. One read-only call of an agent proposes, and
    rules decide whether a variant may run on the plan. It is written to .reknit/plans/TOPIC-advisor.md.
    """
    from reknit.app.installation import installation
    from reknit.app.start.planning.plan import PlanRequest

    if form == "yaml" and not stage:
        raise click.UsageError("--format yaml is for --stage")
    if is_accepted and (stage or auto_handoff or replaces or queue or detach):
        raise click.UsageError("--accept makes no plan: leave the other options out")
    if auto_handoff and (queue or detach):
        raise click.UsageError("--auto-handoff runs here: leave --queue and --detach out")
    place, folder = installation(os.environ), Path.cwd()
    if is_accepted:
        return _accept(place, folder, topic)
    wanted = PlanRequest(
        topic=topic, as_of=as_of, description=description, forbid=forbid, cap=cap or "", constraints=constraints,
        confirmed=confirmed, replaces=replaces,
    )  # fmt: skip
    if stage:
        return _show(place, folder, wanted, stage, form)
    if not (is_silent or auto_handoff) and questions.can_ask():
        with questions.ended_by_ctrl_c():
            wanted = _asked(folder, wanted)
    from reknit.app.start.planning.plan import plan_topic
    from reknit.interfaces.cli.launch.start import start_run

    run = plan_topic(place, folder, wanted, settings())
    code = start_run(place, run, form, queue=queue, detach=detach)
    return _hand_over(place, folder, run.spec.run_id, form, confirmed=confirmed) if auto_handoff and not code else code


def _accept(place: "Installation", folder: Path, topic: str) -> int:
    from reknit.app.start.planning.accepted import accept_plan

    echo(accept_plan(place, folder, topic))
    return 0


def _show(place: "Installation", folder: Path, wanted: "PlanRequest", stage: str, form: str) -> int:
    from reknit.app.start.planning.plan import explored
    from reknit.core.planning.exploration.document import document
    from reknit.core.planning.exploration.yaml_text import as_yaml
    from reknit.core.planning.variants.scoring import scores_document

    found = explored(place, folder, wanted)
    tree = document(found.context) if stage == "explore" else scores_document(found.scores)
    echo(json.dumps(tree, indent=2, ensure_ascii=False) if form == "json" else as_yaml(tree).rstrip())
    return 0


def _asked(folder: Path, wanted: "PlanRequest") -> "PlanRequest":
    """What an option says already is not asked."""
    from reknit.adapters.git.user_repository import UserRepository
    from reknit.app.start.instructions.variant_files import variants_of

    names = [variant.name for variant in variants_of(Path(UserRepository.find(str(folder)).root))]
    answers: dict[str, str] = {}
    if not wanted.description:
        answers[questions.GOAL] = questions.ask_goal()
        wanted = replace(wanted, description=answers[questions.GOAL])
    if not wanted.forbid:
        chosen = questions.ask_off_limits(names)
        answers[questions.OFF_LIMITS] = ", ".join(chosen)
        wanted = replace(wanted, forbid=chosen)
    if not wanted.cap:
        answers[questions.CAP] = questions.ask_cap()
        wanted = replace(wanted, cap=answers[questions.CAP])
    return replace(wanted, answers=tuple(answers.items()))


def _hand_over(place: "Installation", folder: Path, plan_run: str, form: str, *, confirmed: bool) -> int:
    """The plan is current."""
    from reknit.app.start.planning.variant import VariantRequest, plan_variant
    from reknit.core.plan.run_text import why_not_handed_over
    from reknit.interfaces.cli.launch.start import start_run
    from reknit.store.database import open_store
    from reknit.store.runs.reader import RunReader

    made = json.loads(RunReader(open_store(place.database)).document(plan_run, "plan"))
    if why := why_not_handed_over(made):
        echo(why, err=True)
        return 0
    wanted = VariantRequest(made["variant_recommendation"], made["file"], confirmed)
    return start_run(place, plan_variant(place, folder, wanted, settings()), form)
