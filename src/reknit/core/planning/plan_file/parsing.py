"""Reads a plan, even after a person has edited it: other bullets, line ends, fields and sections change nothing.

A file that cannot be read as a plan gives every problem with its line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeGuard, get_args

from reknit.core.agent_reports.values import Effort, PlannedTask
from reknit.core.planning.constraints import LIMITS, LISTS, make_limit, parse_constraint
from reknit.core.planning.intent import Cap, Constraint
from reknit.core.planning.plan_file.layout import CRITERIA, TASKS, Item, Layout, find_items, find_layout
from reknit.core.planning.plan_file.plan import PlanFile, PlannedCriterion, PlanProblem, PlanStatus
from reknit.core.text.format import SLIP, suggest_similar
from reknit.core.text.line_encoding import decode
from reknit.core.text.yaml_fields import Scalar, YamlField

RESULT = re.compile(r"(?:passed|failed|unverified):(?: .*)?")
IMPACT, FILE, NEW_FILE = "impact:", "file:", "new file:"
NO_FILE = "it names no file, so no run takes it: add `file: PATH` or `new file: PATH`"

_TASK = re.compile(r"\[([SML])\](?:[ \t]++(.*)|$)")
_DATE = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")
_NUMBER = re.compile(r"[0-9]{1,3}")
_NULLS = ("", "~", "null", "Null", "NULL", "none")
_HIGHEST = 100
_NAMES = (
    "title", "updated", "status", "domain", "variant_recommendation", "variant_alternate", "confidence", "topic",
    "as_of", "cap", "grants", "constraints", *LIMITS,
)  # fmt: skip
_TASK_NAMES = (FILE, NEW_FILE, IMPACT)


def parse_plan(text: str) -> PlanFile | tuple[PlanProblem, ...]:
    """Return the plan, or all problems of the file."""
    layout = find_layout(text)
    if layout.problems and not layout.fields:
        return tuple(layout.problems)
    fields = _Fields(layout)
    fields.refuse_slips()
    status = fields.read_choice("status", get_args(PlanStatus))
    cap = fields.read_choice("cap", get_args(Cap), "no cap")
    for name in (TASKS, CRITERIA):
        if name not in layout.sections:
            layout.note(1, f"there is no `## {name}`", "add that section, with a list")
    plan = PlanFile(
        title=fields.read_word("title"),
        updated=fields.read_date("updated"),
        status=next((word for word in get_args(PlanStatus) if word == status), "fallback"),
        variant_recommendation=fields.read_word("variant_recommendation"),
        confidence_0_100=fields.read_percentage("confidence"),
        domain=fields.read_word("domain", is_required=False),
        variant_alternate=fields.read_word("variant_alternate", is_required=False, can_be_null=True),
        topic=fields.read_word("topic", is_required=False),
        as_of=fields.read_date("as_of", is_required=False),
        cap=next((known_cap for known_cap in get_args(Cap) if known_cap == cap), "no cap"),
        grants=fields.read_words("grants"),
        limits=tuple(fields.read_limits()),
        constraints=fields.read_prose_limits(),
        tasks=_parse_tasks(layout),
        criteria=_parse_criteria(layout),
        context=_parse_prose(layout, "Context"),
        plan=_parse_prose(layout, "Plan"),
        tradeoffs=_parse_prose(layout, "Tradeoffs"),
        methodology=_parse_prose(layout, "Methodology"),
    )
    return tuple(sorted(layout.problems, key=lambda problem: problem.line)) or plan


@dataclass(frozen=True)
class _Fields:
    layout: Layout

    def read_word(self, name: str, *, is_required: bool = True, can_be_null: bool = False) -> str:
        field = self._find_field(name, is_required=is_required)
        if not field:
            return ""
        if not _is_word(field.value):
            self.layout.note(field.line, f"`{name}` is not one value", f"write `{name}: value`, quoted if need be")
            return ""
        if can_be_null and _is_null(field.value):
            return ""
        if is_required and not field.value.text:
            self.layout.note(field.line, f"`{name}` is empty", f"write `{name}: value`")
        return field.value.text

    def read_date(self, name: str, *, is_required: bool = True) -> str:
        word = self.read_word(name, is_required=is_required)
        if word and not _DATE.fullmatch(word):
            self._refuse(name, "no date", "write it as `2026-11-17`")
        return word

    def read_percentage(self, name: str) -> int:
        word = self.read_word(name)
        if _NUMBER.fullmatch(word) and int(word) <= _HIGHEST:
            return int(word)
        if word:
            self._refuse(name, "no whole number from 0 to 100", f"write `{name}: 78`")
        return 0

    def read_choice(self, name: str, words: tuple[str, ...], default: str = "") -> str:
        word = self.read_word(name, is_required=not default) or default
        if word and word not in words:
            self._refuse(name, f"{word!r}", f"it is one of: {', '.join(words)}")
        return word

    def read_words(self, name: str) -> tuple[str, ...]:
        field = self.layout.fields.get(name)
        if not field or (_is_word(field.value) and (_is_null(field.value) or not field.value.text)):
            return ()
        items = field.value if isinstance(field.value, tuple) else (field.value,)
        words = tuple(item.text for item in items if _is_word(item))
        if len(words) < len(items):
            self.layout.note(field.line, f"`{name}` is no list of words", "write one per line, each after `- `")
        return words

    def read_limits(self) -> Iterator[Constraint]:
        """Yield the limits; a value that cannot be one is a problem, because the plan would run without it."""
        for name in LIMITS:
            field = self.layout.fields.get(name)
            words = (self.read_words(name) if name in LISTS else (self.read_word(name),)) if field else ()
            for limit in (make_limit(name, word) for word in words):
                if isinstance(limit, Constraint):
                    yield limit
                else:
                    self._refuse(name, "no limit", limit)

    def read_prose_limits(self) -> tuple[str, ...]:
        words = self.read_words("constraints")
        for word in words:
            if parse_constraint(word) != (Constraint("unchecked", word),):
                self._refuse(
                    "constraints", f"no place for `{word}`, which would not be kept", "make it a field: `max_usd: 5`"
                )
        return words

    def refuse_slips(self) -> None:
        """Refuse names that are almost those of a field: a limit must not be passed over because of a letter."""
        for name, field in self.layout.fields.items():
            hint = suggest_similar(name.replace("-", "_"), _NAMES, SLIP)
            if hint and name not in _NAMES:
                self.layout.note(field.line, f"there is no field `{name}`", hint)

    def _find_field(self, name: str, *, is_required: bool) -> YamlField | None:
        field = self.layout.fields.get(name)
        if not field and is_required:
            self.layout.note(1, f"there is no `{name}`", f"add `{name}: …` to the fields at the top")
        return field

    def _refuse(self, name: str, message: str, help_text: str) -> None:
        self.layout.note(self.layout.fields[name].line, f"`{name}` is {message}", help_text)


def _is_word(value: object) -> TypeGuard[Scalar]:
    """Return True if it is one value on one line: a block or a continued text is often a slip."""
    return isinstance(value, Scalar) and value.is_one_line


def _is_null(word: Scalar) -> bool:
    return word.is_plain and word.text in _NULLS


def _parse_tasks(layout: Layout) -> tuple[PlannedTask, ...]:
    tasks: list[PlannedTask] = []
    for item in find_items(layout, TASKS):
        match = _TASK.fullmatch(item.text)
        if not match:
            layout.note(item.line, "this task has no effort", "begin it with `- [S] `, `- [M] ` or `- [L] `")
            continue
        effort: Effort = match[1]  # type: ignore[assignment]
        impact = "".join(_read_values(item, IMPACT)[:1])
        for below in item.below:
            name = below.text.partition(":")[0]
            hint = suggest_similar(f"{name}:", _TASK_NAMES, SLIP)
            if ":" in below.text and hint and f"{name}:" not in _TASK_NAMES:
                layout.note(below.line, f"a task has no `{name}:`", hint)
        files, new_files = _read_values(item, FILE), _read_values(item, NEW_FILE)
        tasks.append(PlannedTask(decode(match[2] or ""), effort, impact, files, new_files))
    return tuple(tasks)


def _read_values(item: Item, name: str) -> tuple[str, ...]:
    """Return the values of the items below one that begin with this name."""
    texts = (below.text for below in item.below if below.text.startswith(name))
    return tuple(decode(text.removeprefix(name).strip(" \t")) for text in texts)


def _parse_criteria(layout: Layout) -> tuple[PlannedCriterion, ...]:
    criteria: list[PlannedCriterion] = []
    for item in find_items(layout, CRITERIA):
        result = next((below.text for below in item.below if RESULT.fullmatch(below.text)), "")
        criteria.append(PlannedCriterion(decode(item.text), decode(result)))
    return tuple(criteria)


def _parse_prose(layout: Layout, name: Literal["Context", "Plan", "Tradeoffs", "Methodology"]) -> str:
    lines = [line for _, line in layout.sections.get(name, ())]
    return decode("\n".join(lines).strip("\n"))
