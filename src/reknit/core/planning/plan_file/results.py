"""Writes the results of a run under its acceptance criteria, and identifies a plan by its text."""

from collections.abc import Mapping
from dataclasses import replace

from reknit.core.planning.plan_file.layout import CRITERIA, Item, find_items, find_layout
from reknit.core.planning.plan_file.parsing import RESULT, parse_plan
from reknit.core.planning.plan_file.plan import PlanFile, digest
from reknit.core.planning.plan_file.printing import print_item
from reknit.core.text.line_encoding import decode


def insert_results(text: str, results: Mapping[str, str]) -> str:
    """Write results under the criteria; every other byte of the file stays.

    `results`: criterion -> `passed: …`, `failed: …` or `unverified: …`. A criterion that is no longer in the file
    is passed over, and one without a result keeps its own.
    """
    lines = text.split("\n")
    for item in reversed(find_items(find_layout(text), CRITERIA)):
        result = results.get(decode(item.text))
        if result is not None:
            _insert_result(lines, item, result)
    return "\n".join(lines)


def remove_results(text: str) -> str:
    """Return the file as a person wrote it: two that differ only in results become the same."""
    lines = text.split("\n")
    for item in reversed(find_items(find_layout(text), CRITERIA)):
        _remove_results(lines, item)
    return "\n".join(lines)


def _insert_result(lines: list[str], item: Item, result: str) -> None:
    _remove_results(lines, item)
    line = lines[item.last - 1]
    first = lines[item.line - 1]
    margin = first[: len(first) - len(first.lstrip(" \t\ufeff"))]
    end = "\r" if line.endswith("\r") else ""
    lines.insert(item.last, f"{margin}  - {print_item(result)}{end}")


def _remove_results(lines: list[str], item: Item) -> None:
    for below in reversed(item.below):
        if RESULT.fullmatch(below.text):
            del lines[below.line - 1 : below.last]


def make_written_key(repository: str, file: str, text: str) -> str:
    """Return the key under which the run that wrote exactly this text is stored."""
    parts = "\0".join((repository, file, text))
    return f"plan {digest(parts)}"


def make_accepted_key(repository: str, file: str, text: str) -> str:
    """Return the name of the record that a person accepted this text.

    The results under the criteria do not count, because runs write them. They do if the plan reads differently without
    them: then they are more than results.
    """
    plan, bare = parse_plan(text), remove_results(text)
    if isinstance(plan, PlanFile):
        plan = replace(plan, criteria=tuple(replace(criterion, result="") for criterion in plan.criteria))
    return digest("\0".join(map(digest, (repository, file, bare if parse_plan(bare) == plan else text))))


def make_current(text: str) -> str:
    """Return the text of a provisional plan with the status that accepts it."""
    return text.replace("status: provisional", "status: current", 1)
