"""Writes what a run found under each acceptance criterion; every other byte of the file stays as it is."""

from collections.abc import Mapping

from reknit.core.planning.plan_file.layout import CRITERIA, Item, find_items, find_layout
from reknit.core.planning.plan_file.parsing import RESULT
from reknit.core.planning.plan_file.printing import item_text
from reknit.core.text.line_encoding import decode


def with_results(text: str, results: Mapping[str, str]) -> str:
    """`results`: criterion -> `passed: …`, `failed: …` or `unverified: …`. A criterion that is not in the file any more
    is passed over, and one without a result keeps what it has."""
    lines = text.split("\n")
    for item in reversed(find_items(find_layout(text), CRITERIA)):
        result = results.get(decode(item.text))
        if result is not None:
            _write(lines, item, result)
    return "\n".join(lines)


def without_results(text: str) -> str:
    """The file as a person wrote it: two that differ only in results are the same here."""
    lines = text.split("\n")
    for item in reversed(find_items(find_layout(text), CRITERIA)):
        _remove(lines, item)
    return "\n".join(lines)


def _write(lines: list[str], item: Item, result: str) -> None:
    _remove(lines, item)
    line = lines[item.last - 1]
    first = lines[item.line - 1]
    margin = first[: len(first) - len(first.lstrip(" \t\ufeff"))]
    end = "\r" if line.endswith("\r") else ""
    lines.insert(item.last, f"{margin}  - {item_text(result)}{end}")


def _remove(lines: list[str], item: Item) -> None:
    for below in reversed(item.below):
        if RESULT.fullmatch(below.text):
            del lines[below.line - 1 : below.last]
