"""`reknit plan`: make a plan for a topic with its acceptance criteria, or accept one."""

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
from reknit.interfaces.cli.options.settings import BOX, BUDGET, collect_settings, setting
from reknit.interfaces.cli.output.echo import echo

if TYPE_CHECKING:
    from reknit.app.installation import Installation
    from reknit.app.start.planning.plan import PlanRequest

STAGES = ("explore", "score")


def _parse_date(_context: click.Context, _parameter: click.Parameter, text: str | None) -> date:
    if text is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a date such as 2026-12-31") from None


class _PlanCommand(click.Command):
    """`plan TOPIC` makes a plan, `plan accept TOPIC` accepts one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--accept" in args:
            raise click.UsageError("no option --accept: it is `reknit plan accept TOPIC` now")
        is_accepted = args[:1] == ["accept"] and not {"-h", "--help"} & {*args}
        if is_accepted and (len(args) != 2 or args[1].startswith("-")):
            raise click.UsageError("`plan accept` takes a TOPIC, or the file of a plan, and nothing else")
        rest = super().parse_args(ctx, args[1:] if is_accepted else args)
        if ctx.params.get("topic") == "accept" and not is_accepted:
            raise click.UsageError("`accept` is the first word: `reknit plan accept TOPIC`")
        ctx.params["is_accepted"] = is_accepted
        return rest


@click.command(cls=_PlanCommand, options_metavar="[accept] [OPTIONS]")
@click.argument("topic")
@click.option("--description", metavar="TEXT", default="", help="the goal  [default: TOPIC.md at the top, if any]")
@click.option("--forbid", multiple=True, metavar="VARIANT", help="never recommend it; may be given several times")
@click.option("--cap", type=click.Choice(list(CAPS)), help="how long the work may take")
@click.option(
    "--constraint",
    "constraints",
    multiple=True,
    metavar="TEXT",
    help="such as `deny_models: opus` or `max_usd: 5`; prose is only told to the agent",
)
@click.option("--yes", "--non-interactive", "is_silent", is_flag=True, help="ask nothing")
@click.option(
    "--auto-handoff", is_flag=True, help="ask nothing, and run the variant if the plan is current and names one only"
)
@click.option("--replace", "replaces", is_flag=True, help="overwrite a plan that a person has edited")
@click.option("--as-of", callback=_parse_date, metavar="DATE", help="what counts as today  [default: today, in UTC]")
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

    `reknit plan accept TOPIC` lets `reknit fix plan` work on the plan as it is now; TOPIC may also be its file.
    """
    from reknit.app.installation import find_installation
    from reknit.app.start.planning.plan import PlanRequest

    if form == "yaml" and not stage:
        raise click.UsageError("--format yaml is for --stage")
    if auto_handoff and (queue or detach):
        raise click.UsageError("--auto-handoff runs here: leave --queue and --detach out")
    installation, folder = find_installation(os.environ), Path.cwd()
    if is_accepted:
        return _accept(installation, folder, topic)
    request = PlanRequest(
        topic=topic, as_of=as_of, description=description, forbid=forbid, cap=cap or "", constraints=constraints,
        confirmed=confirmed, replaces=replaces,
    )  # fmt: skip
    if stage:
        return _show(installation, folder, request, stage, form)
    if not (is_silent or auto_handoff) and questions.can_ask():
        with questions.ended_by_ctrl_c():
            request = _ask_questions(folder, request)
    from reknit.app.start.planning.plan import plan_topic
    from reknit.interfaces.cli.launch.start import start_run

    run = plan_topic(installation, folder, request, collect_settings())
    code = start_run(installation, run, form, queue=queue, detach=detach)
    return (
        _hand_over(installation, folder, run.spec.run_id, form, confirmed=confirmed)
        if auto_handoff and not code
        else code
    )


def _accept(installation: "Installation", folder: Path, topic: str) -> int:
    from reknit.app.start.planning.accepted import accept_plan

    echo(accept_plan(installation, folder, topic))
    return 0


def _show(installation: "Installation", folder: Path, request: "PlanRequest", stage: str, form: str) -> int:
    from reknit.app.start.planning.plan import explore_topic
    from reknit.core.planning.exploration.document import to_document, to_yaml
    from reknit.core.planning.variants.scoring import scores_to_document

    exploration = explore_topic(installation, folder, request)
    tree = to_document(exploration.context) if stage == "explore" else scores_to_document(exploration.scores)
    echo(json.dumps(tree, indent=2, ensure_ascii=False) if form == "json" else to_yaml(tree).rstrip())
    return 0


def _ask_questions(folder: Path, request: "PlanRequest") -> "PlanRequest":
    """Ask only for values that are not given as options."""
    from reknit.adapters.git.user_repository import UserRepository
    from reknit.app.start.instructions.variant_files import read_variants

    variants = {
        variant.name: variant.describe() for variant in read_variants(Path(UserRepository.find(str(folder)).root))
    }
    answers: dict[str, str] = {}
    if not request.description:
        answers[questions.GOAL] = questions.ask_goal()
        request = replace(request, description=answers[questions.GOAL])
    if not request.forbid:
        off_limits = questions.ask_off_limits(variants)
        answers[questions.OFF_LIMITS] = ", ".join(off_limits)
        request = replace(request, forbid=off_limits)
    if not request.cap:
        answers[questions.CAP] = questions.ask_cap()
        request = replace(request, cap=answers[questions.CAP])
    return replace(request, answers=tuple(answers.items()))


def _hand_over(installation: "Installation", folder: Path, plan_run: str, form: str, *, confirmed: bool) -> int:
    """Run the recommended variant right away. Requires a current plan."""
    from reknit.app.start.planning.variant import VariantRequest, plan_variant
    from reknit.core.plan.run_text import explain_no_handover
    from reknit.interfaces.cli.launch.start import start_run
    from reknit.store.database import open_store
    from reknit.store.runs.reader import RunReader

    plan_document = json.loads(RunReader(open_store(installation.database)).document(plan_run, "plan"))
    if why := explain_no_handover(plan_document):
        echo(why, err=True)
        return 0
    request = VariantRequest(plan_document["variant_recommendation"], plan_document["file"], confirmed)
    return start_run(installation, plan_variant(installation, folder, request, collect_settings()), form)
