"""Whether a plan lets a variant run: what a person has to change if it does not."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from reknit.core.gate.path_pattern import names_one
from reknit.core.gate.protecting_rules import protecting_rules
from reknit.core.gate.waiver import Waiver, is_waivable
from reknit.core.planning.plan_file.plan import PlanFile, PlanProblem, digest
from reknit.core.text.format import counted, words

PROBLEMS_NAMED = 10
MOST_LISTED = 200
"""Tasks, criteria or grants of one plan: each is worked on, checked or told by itself."""


@dataclass(frozen=True)
class PlanRefusal:
    what: str
    help: str


def unreadable(file: str, problems: Sequence[PlanProblem]) -> PlanRefusal:
    named = "; ".join(f"line {each.line}: {each.what}" for each in problems[:PROBLEMS_NAMED])
    more = f"; and {len(problems) - PROBLEMS_NAMED} more" if len(problems) > PROBLEMS_NAMED else ""
    return PlanRefusal(f"{file} is no plan that can be read: {named}{more}", problems[0].help)


def refusal(plan: PlanFile, name: str, file: str) -> PlanRefusal | None:
    """What only the plan itself decides; None: nothing in it is against it."""
    if plan.status == "provisional":
        accepts = f"read it, and if you want it so: `reknit plan --accept {shlex.quote(file)}`"
        return PlanRefusal(f"the plan {file} is provisional: not all of its rules were met", accepts)
    if plan.status == "fallback":
        what = f"the plan {file} is a fallback: it says why there is no plan, and no variant runs on it"
        return PlanRefusal(what, "read it, then make another one with `reknit plan`")
    if name not in (named := [each for each in (plan.variant_recommendation, plan.variant_alternate) if each]):
        what = f"the plan {file} does not name the variant {words(name, 60)}"
        return PlanRefusal(what, f"it names {' and '.join(words(each, 60) for each in named)}")
    if not plan.tasks or not plan.criteria:
        lacking = "tasks" if not plan.tasks else "acceptance criteria"
        return PlanRefusal(f"the plan {file} has no {lacking}", "add them: without, nobody can tell when it is done")
    return _too_many(plan, file) or _wrong_grant(plan, file)


def _too_many(plan: PlanFile, file: str) -> PlanRefusal | None:
    for name, listed in (("tasks", plan.tasks), ("acceptance criteria", plan.criteria), ("grants", plan.grants)):
        if len(listed) > MOST_LISTED:
            what = f"the plan {file} has {len(listed)} {name}, and {MOST_LISTED} are taken at most"
            return PlanRefusal(what, "make several plans of it")
    return None


def _wrong_grant(plan: PlanFile, file: str) -> PlanRefusal | None:
    wrong = [grant for grant in plan.grants if not names_one(grant)]
    if not wrong:
        return None
    what = f"{counted(len(wrong), 'grant')} of {file} cannot be used: {words(', '.join(map(ascii, wrong)), 300)}"
    return PlanRefusal(what, "a grant is the exact path of one file from the top of the repository, without `*` or `?`")


def waivers_of_grants(plan: PlanFile, file: str) -> tuple[Waiver, ...]:
    """Of exactly those rules that refuse every change of such a file."""
    return tuple(
        Waiver(rule, path, f"granted for the plan {words(plan.topic or plan.title, 60)}", file)
        for path in dict.fromkeys(plan.grants)
        for rule in protecting_rules(path)
        if is_waivable(rule)
    )


def not_accepted(file: str, given: str) -> PlanRefusal:
    """Refuse a text that nobody accepted. `given`: the plan as the person typed it."""
    what = f"nobody has accepted the plan {file} as it is now: it was edited, or came from elsewhere"
    return PlanRefusal(what, f"read it, and if it is what you want: `reknit plan --accept {shlex.quote(given)}`")


def accepted_text(plan: PlanFile, file: str, text: str) -> str:
    """Tell a person what they accepted."""
    variants = [each for each in (plan.variant_recommendation, plan.variant_alternate) if each]
    tasks = (f"  task    {words(task.title, 100)}" for task in plan.tasks)
    grants = (f"  grants  {words(ascii(grant)[1:-1], 100)}" for grant in plan.grants or ("nothing",))
    next_step = f"  next    reknit variant {words(variants[0], 60)} --plan {shlex.quote(file)}"
    return "\n".join((f"accepted {file}: SHA-256 {digest(text)[:12]}", *tasks, *grants, next_step))
