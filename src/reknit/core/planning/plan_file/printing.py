"""A plan as the Markdown file that people read and edit; `core/text/line_encoding.py` says how unusual text is written.

What a model wrote stays where it was put: a line in it is never taken for a field, a heading, an item or a comment, and
no markup in it hides what comes below.
"""

import re
from collections.abc import Iterable, Iterator

from reknit.core.agent_reports.values import PlannedTask
from reknit.core.planning.plan_file.layout import CRITERIA, NOTHING_LISTED, TASKS, is_structure
from reknit.core.planning.plan_file.parsing import IMPACT
from reknit.core.planning.plan_file.plan import PlanFile, PlannedCriterion
from reknit.core.planning.plan_file.scalars import print_scalar
from reknit.core.text.line_encoding import NOTHING, one_line, several_lines

_TAG = re.compile(r"<(?=[!?/A-Za-z])")


def print_plan(plan: PlanFile) -> str:
    return "\n".join([*_fields(plan), *_body(plan), ""])


def _fields(plan: PlanFile) -> Iterator[str]:
    yield "---"
    yield f"title: {print_scalar(plan.title)}"
    yield f"updated: {plan.updated}"
    yield f"status: {plan.status}"
    yield f"domain: {print_scalar(plan.domain)}"
    yield f"variant_recommendation: {print_scalar(plan.variant_recommendation)}"
    yield f"variant_alternate: {print_scalar(plan.variant_alternate) if plan.variant_alternate else 'null'}"
    yield f"confidence: {plan.confidence_0_100}"
    yield f"topic: {print_scalar(plan.topic)}"
    yield f"as_of: {print_scalar(plan.as_of)}"
    yield f"cap: {print_scalar(plan.cap)}"
    yield from _list("grants", plan.grants)
    yield from _list("constraints", plan.constraints)
    yield "---"


def _list(name: str, words: tuple[str, ...]) -> Iterator[str]:
    yield f"{name}:" if words else f"{name}: []"
    yield from (f"  - {print_scalar(word)}" for word in words)


def _body(plan: PlanFile) -> Iterator[str]:
    yield from _section("Context", _prose(plan.context))
    yield from _section("Plan", _prose(plan.plan))
    yield from _section(TASKS, [line for task in plan.tasks for line in _task(task)] or [NOTHING_LISTED])
    yield from _section(CRITERIA, [line for each in plan.criteria for line in _criterion(each)] or [NOTHING_LISTED])
    yield from _section("Tradeoffs", _prose(plan.tradeoffs))
    yield from _section("Methodology", _prose(plan.methodology))


def _section(name: str, lines: Iterable[str]) -> Iterator[str]:
    yield from ("", f"## {name}", "")
    yield from lines


def _task(task: PlannedTask) -> Iterator[str]:
    yield f"- [{task.effort}] {item_text(task.title)}"
    if task.impact:
        yield f"  - {IMPACT} {item_text(task.impact)}"


def _criterion(criterion: PlannedCriterion) -> Iterator[str]:
    yield f"- {item_text(criterion.text)}"
    if criterion.result:
        yield f"  - {item_text(criterion.result)}"


def item_text(text: str) -> str:
    return _without_tags(one_line(text)) or NOTHING


def _prose(text: str) -> list[str]:
    lines = [_without_tags(line) for line in several_lines(text)]
    return [NOTHING + line if is_structure(line) else line for line in lines] if text else []


def _without_tags(line: str) -> str:
    return _TAG.sub(lambda _: f"<{NOTHING}", line)
