"""Reads a plan, also after a person has edited it: other bullets, line ends, fields and sections change nothing.

A file that cannot be read as a plan gives every problem with its line.
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from reknit.core.agent_reports.values import Effort, PlannedTask
from reknit.core.planning.intent import Cap
from reknit.core.planning.plan_file.layout import CRITERIA, TASKS, Field, Layout, find_items, find_layout
from reknit.core.planning.plan_file.plan import PlanFile, PlannedCriterion, PlanProblem, PlanStatus
from reknit.core.planning.plan_file.scalars import parse_list, parse_scalar
from reknit.core.text.line_encoding import decode

RESULT = re.compile(r"(?:passed|failed|unverified):(?: .*)?")
IMPACT = "impact:"

_TASK = re.compile(r"\[([SML])\](?:[ \t]++(.*)|$)")
_DATE = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")
_NUMBER = re.compile(r"[0-9]{1,3}")
_NULLS = ("", "~", "null", "Null", "NULL", "none")
_HIGHEST = 100


def parse_plan(text: str) -> PlanFile | tuple[PlanProblem, ...]:
    layout = find_layout(text)
    if layout.problems and not layout.fields:
        return tuple(layout.problems)
    fields = _Fields(layout)
    status = fields.one_of("status", get_args(PlanStatus))
    cap = fields.one_of("cap", get_args(Cap), "no cap")
    for name in (TASKS, CRITERIA):
        if name not in layout.sections:
            layout.note(1, f"there is no `## {name}`", "add that section, with a list")
    plan = PlanFile(
        title=fields.word("title"),
        updated=fields.date("updated"),
        status=next((word for word in get_args(PlanStatus) if word == status), "fallback"),
        variant_recommendation=fields.word("variant_recommendation"),
        confidence_0_100=fields.percentage("confidence"),
        domain=fields.word("domain", needed=False),
        variant_alternate=fields.word("variant_alternate", needed=False, can_be_null=True),
        topic=fields.word("topic", needed=False),
        as_of=fields.date("as_of", needed=False),
        cap=next((each for each in get_args(Cap) if each == cap), "no cap"),
        grants=fields.words("grants"),
        constraints=fields.words("constraints"),
        tasks=_tasks(layout),
        criteria=_criteria(layout),
        context=_prose(layout, "Context"),
        plan=_prose(layout, "Plan"),
        tradeoffs=_prose(layout, "Tradeoffs"),
        methodology=_prose(layout, "Methodology"),
    )
    return tuple(sorted(layout.problems, key=lambda each: each.line)) or plan


@dataclass(frozen=True)
class _Fields:
    layout: Layout

    def word(self, name: str, *, needed: bool = True, can_be_null: bool = False) -> str:
        found = self._field(name, needed=needed)
        if not found:
            return ""
        word = None if found.items else parse_scalar(found.written)
        if word is None:
            self.layout.note(found.line, f"`{name}` is not one value", f"write `{name}: value`, quoted if need be")
            return ""
        if can_be_null and found.written.strip() in _NULLS:
            return ""
        if needed and not word:
            self.layout.note(found.line, f"`{name}` is empty", f"write `{name}: value`")
        return word

    def date(self, name: str, *, needed: bool = True) -> str:
        word = self.word(name, needed=needed)
        if word and not _DATE.fullmatch(word):
            self._refuse(name, "no date", "write it as `2026-11-17`")
        return word

    def percentage(self, name: str) -> int:
        word = self.word(name)
        if _NUMBER.fullmatch(word) and int(word) <= _HIGHEST:
            return int(word)
        if word:
            self._refuse(name, "no whole number from 0 to 100", f"write `{name}: 78`")
        return 0

    def one_of(self, name: str, words: tuple[str, ...], default: str = "") -> str:
        word = self.word(name, needed=not default) or default
        if word and word not in words:
            self._refuse(name, f"{word!r}", f"it is one of: {', '.join(words)}")
        return word

    def words(self, name: str) -> tuple[str, ...]:
        found = self.layout.fields.get(name)
        if not found or (not found.items and found.written.strip() in _NULLS):
            return ()
        words = _listed(found)
        if words is None:
            self.layout.note(found.line, f"`{name}` is no list of words", "write one per line, each after `- `")
        return words or ()

    def _field(self, name: str, *, needed: bool) -> Field | None:
        found = self.layout.fields.get(name)
        if not found and needed:
            self.layout.note(1, f"there is no `{name}`", f"add `{name}: …` to the fields at the top")
        return found

    def _refuse(self, name: str, what: str, help_text: str) -> None:
        self.layout.note(self.layout.fields[name].line, f"`{name}` is {what}", help_text)


def _listed(found: Field) -> tuple[str, ...] | None:
    if not found.items:
        return parse_list(found.written)
    if found.written:
        return None
    words = [parse_scalar(written) for _, written in found.items]
    return None if None in words else tuple(word for word in words if word is not None)


def _tasks(layout: Layout) -> tuple[PlannedTask, ...]:
    tasks: list[PlannedTask] = []
    for item in find_items(layout, TASKS):
        found = _TASK.fullmatch(item.text)
        if not found:
            layout.note(item.line, "this task has no effort", "begin it with `- [S] `, `- [M] ` or `- [L] `")
            continue
        effort: Effort = found[1]  # type: ignore[assignment]
        impact = next((below.text for below in item.below if below.text.startswith(IMPACT)), IMPACT)
        tasks.append(PlannedTask(decode(found[2] or ""), effort, decode(impact.removeprefix(IMPACT).strip(" \t"))))
    return tuple(tasks)


def _criteria(layout: Layout) -> tuple[PlannedCriterion, ...]:
    criteria: list[PlannedCriterion] = []
    for item in find_items(layout, CRITERIA):
        result = next((below.text for below in item.below if RESULT.fullmatch(below.text)), "")
        criteria.append(PlannedCriterion(decode(item.text), decode(result)))
    return tuple(criteria)


def _prose(layout: Layout, name: Literal["Context", "Plan", "Tradeoffs", "Methodology"]) -> str:
    lines = [line for _, line in layout.sections.get(name, ())]
    return decode("\n".join(lines).strip("\n"))
