"""Decides if a plan lets a variant run, and else tells a person what to change."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from reknit.core.gate.needed_waivers import find_protecting_rules
from reknit.core.gate.path_pattern import is_exact_path
from reknit.core.gate.waiver import Waiver, is_waivable
from reknit.core.planning.criteria import Unchecked, parse_criterion
from reknit.core.planning.plan_file.plan import PlanFile, PlanProblem, digest
from reknit.core.text.format import pluralize, sanitize_line

PROBLEMS_NAMED = 10
MAX_ENTRIES = 200
"""Maximum number of tasks, criteria or grants of one plan."""


@dataclass(frozen=True)
class PlanRefusal:
    """A reason against running a plan, and what to do about it."""

    message: str
    help: str


def refuse_unreadable(file: str, problems: Sequence[PlanProblem]) -> PlanRefusal:
    """Refuse a file with these problems."""
    listing = "; ".join(f"line {problem.line}: {problem.message}" for problem in problems[:PROBLEMS_NAMED])
    more = f"; and {len(problems) - PROBLEMS_NAMED} more" if len(problems) > PROBLEMS_NAMED else ""
    return PlanRefusal(f"{file} is no plan that can be read: {listing}{more}", problems[0].help)


def refuse_plan(plan: PlanFile, name: str, file: str) -> PlanRefusal | None:
    """Refuse a plan for reasons in the plan itself; None: it may run."""
    if plan.status == "provisional":
        accepts = f"read it, and if you want it so: `reknit plan accept {shlex.quote(file)}`"
        return PlanRefusal(f"the plan {file} is provisional: not all of its rules were met", accepts)
    if plan.status == "fallback":
        message = f"the plan {file} is a fallback: it says why there is no plan, and no variant runs on it"
        return PlanRefusal(message, "read it, then make another one with `reknit plan`")
    if name not in (
        variants := [variant for variant in (plan.variant_recommendation, plan.variant_alternate) if variant]
    ):
        message = f"the plan {file} does not name the variant {sanitize_line(name, 60)}"
        return PlanRefusal(message, f"it names {' and '.join(sanitize_line(variant, 60) for variant in variants)}")
    if not plan.tasks or not plan.criteria:
        lacking = "tasks" if not plan.tasks else "acceptance criteria"
        return PlanRefusal(f"the plan {file} has no {lacking}", "add them: without, nobody can tell when it is done")
    return _refuse_too_many(plan, file) or _refuse_wrong_grant(plan, file)


def _refuse_too_many(plan: PlanFile, file: str) -> PlanRefusal | None:
    for name, entries in (("tasks", plan.tasks), ("acceptance criteria", plan.criteria), ("grants", plan.grants)):
        if len(entries) > MAX_ENTRIES:
            message = f"the plan {file} has {len(entries)} {name}, and {MAX_ENTRIES} are taken at most"
            return PlanRefusal(message, "make several plans of it")
    return None


def _refuse_wrong_grant(plan: PlanFile, file: str) -> PlanRefusal | None:
    wrong_grants = [grant for grant in plan.grants if not is_exact_path(grant)]
    if not wrong_grants:
        return None
    listing = sanitize_line(", ".join(map(ascii, wrong_grants)), 300)
    message = f"{pluralize(len(wrong_grants), 'grant')} of {file} cannot be used: {listing}"
    return PlanRefusal(
        message, "a grant is the exact path of one file from the top of the repository, without `*` or `?`"
    )


def make_waivers(plan: PlanFile, file: str) -> tuple[Waiver, ...]:
    """Return waivers of exactly those rules that refuse every change of a granted file."""
    return tuple(
        Waiver(rule, path, f"granted for the plan {sanitize_line(plan.topic or plan.title, 60)}", file)
        for path in dict.fromkeys(plan.grants)
        for rule in find_protecting_rules(path)
        if is_waivable(rule)
    )


def refuse_unaccepted(file: str, typed_plan: str) -> PlanRefusal:
    """Refuse a text that nobody accepted. `typed_plan`: the plan as the person typed it."""
    message = f"nobody has accepted the plan {file} as it is now: it was edited, or came from elsewhere"
    return PlanRefusal(message, f"read it, and if it is what you want: `reknit plan accept {shlex.quote(typed_plan)}`")


def _render_criterion(text: str) -> str:
    check = parse_criterion(text)
    why = f" ({check.why})" if isinstance(check, Unchecked) else ""
    return f"  checks  {sanitize_line(text, 100)}{why}"


def render_acceptance(plan: PlanFile, file: str, text: str, left_out: Sequence[str]) -> str:
    """Tell a person what they accepted. `left_out`: tasks that a run would pass over, each with why."""
    variants = [variant for variant in (plan.variant_recommendation, plan.variant_alternate) if variant]
    tasks = (f"  task    {sanitize_line(task.title, 100)}" for task in plan.tasks)
    checks = (_render_criterion(criterion.text) for criterion in plan.criteria)
    limits = (f"  limit   {sanitize_line(limit.text, 100)}" for limit in plan.limits)
    skipped = (f"  note    a run passes over {entry}" for entry in left_out)
    grants = (f"  grants  {sanitize_line(ascii(grant)[1:-1], 100)}" for grant in plan.grants or ("nothing",))
    next_step = f"  next    reknit fix plan {shlex.quote(file)} --as {sanitize_line(variants[0], 60)}"
    return "\n".join(
        (f"accepted {file}: SHA-256 {digest(text)[:12]}", *tasks, *skipped, *checks, *limits, *grants, next_step)
    )
