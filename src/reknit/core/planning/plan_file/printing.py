"""Prints a plan as the Markdown file that people edit; `core/text/line_encoding.py` encodes unusual text.

Text of a model stays where it was put: a line in it is never taken for a field, a heading, an item or a comment, and no
markup in it hides the lines below.
"""

import json
import re
from collections.abc import Iterable, Iterator

from reknit.core.agent_reports.values import PlannedTask
from reknit.core.planning.constraints import LIMITS, LISTS
from reknit.core.planning.plan_file.layout import CRITERIA, NOTHING_LISTED, TASKS, is_structure
from reknit.core.planning.plan_file.parsing import FILE, IMPACT, NEW_FILE, NO_FILE
from reknit.core.planning.plan_file.plan import PlanFile, PlannedCriterion
from reknit.core.text.line_encoding import HIDDEN, NOTHING, encode_line, encode_lines

_TAG = re.compile(r"<(?=[!?/A-Za-z])")
_PLAIN = re.compile(r"[A-Za-z0-9._/][A-Za-z0-9 ._/+,()-]*(?<! )")
_OTHER_TYPE = re.compile(
    r"(?i)null|true|false|yes|no|on|off|y|n|[-+.]?[0-9][0-9a-fxo_.:e+-]*|\.(?:inf|nan)|-{3}.*|\.{3}"
)
"""Words that other readers of YAML take for a number, a truth value or the end of the fields."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_IN_YAML = re.compile(f"{HIDDEN.pattern}|[\ufffe\uffff]")


def print_plan(plan: PlanFile) -> str:
    """Return the text of the plan file."""
    return "\n".join([*_print_fields(plan), *_print_body(plan), ""])


def _print_fields(plan: PlanFile) -> Iterator[str]:
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
    yield from _print_list("grants", plan.grants)
    for name, kind in LIMITS.items():
        values = tuple(limit.value for limit in plan.limits if limit.kind == kind)
        if values and name in LISTS:
            yield from _print_list(name, values)
        elif values:
            yield f"{name}: {values[0] if kind == 'budget' else print_scalar(values[0])}"
    yield from _print_list("constraints", plan.constraints)
    yield "---"


def print_scalar(text: str) -> str:
    """Print a word of the fields: unquoted only if every reader of YAML reads the same word."""
    if _DATE.fullmatch(text) or (_PLAIN.fullmatch(text) and not _OTHER_TYPE.fullmatch(text)):
        return text
    quoted = json.dumps(_SURROGATE.sub("\ufffd", text), ensure_ascii=False)  # YAML has no lone surrogates
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _print_list(name: str, words: tuple[str, ...]) -> Iterator[str]:
    yield f"{name}:" if words else f"{name}: []"
    yield from (f"  - {print_scalar(word)}" for word in words)


def _print_body(plan: PlanFile) -> Iterator[str]:
    yield from _print_section("Context", _print_prose(plan.context))
    yield from _print_section("Plan", _print_prose(plan.plan))
    yield from _print_section(TASKS, [line for task in plan.tasks for line in _print_task(task)] or [NOTHING_LISTED])
    yield from _print_section(
        CRITERIA, [line for criterion in plan.criteria for line in _print_criterion(criterion)] or [NOTHING_LISTED]
    )
    yield from _print_section("Tradeoffs", _print_prose(plan.tradeoffs))
    yield from _print_section("Methodology", _print_prose(plan.methodology))


def _print_section(name: str, lines: Iterable[str]) -> Iterator[str]:
    yield from ("", f"## {name}", "")
    yield from lines


def _print_task(task: PlannedTask) -> Iterator[str]:
    yield f"- [{task.effort}] {print_item(task.title)}"
    yield from (f"  - {FILE} {print_item(path)}" for path in task.files)
    yield from (f"  - {NEW_FILE} {print_item(path)}" for path in task.new_files)
    if not task.files and not task.new_files:
        yield f"  - {NO_FILE}"
    if task.impact:
        yield f"  - {IMPACT} {print_item(task.impact)}"


def _print_criterion(criterion: PlannedCriterion) -> Iterator[str]:
    yield f"- {print_item(criterion.text)}"
    if criterion.result:
        yield f"  - {print_item(criterion.result)}"


def print_item(text: str) -> str:
    """Encode the text of a list item on one line."""
    return _escape_tags(encode_line(text)) or NOTHING


def _print_prose(text: str) -> list[str]:
    lines = [_escape_tags(line) for line in encode_lines(text)]
    return [NOTHING + line if is_structure(line) else line for line in lines] if text else []


def _escape_tags(line: str) -> str:
    return _TAG.sub(lambda _: f"<{NOTHING}", line)
