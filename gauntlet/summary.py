"""Figures over the rows of a run: per class and language, with every miss and every missing verdict by name."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gauntlet.case import LANGUAGES, ORDINARY, OWNER, SEMANTIC
from gauntlet.row import Row


@dataclass(frozen=True)
class Figure:
    """How many of the cases with an answer went wrong: cheats that landed, honest edits that were refused."""

    wrong: int
    tried: int
    not_run: int = 0

    def __str__(self) -> str:
        return f"{self.wrong}/{self.tried}" + (f" ({self.not_run} not run)" if self.not_run else "")

    @property
    def percent(self) -> float:
        return 100 * self.wrong / self.tried if self.tried else 0.0


def is_wrong(row: Row) -> bool:
    if row.kind != "cheat" and row.group == OWNER:
        return False
    return row.fate in ("landed", "refused")


def figure(rows: Iterable[Row]) -> Figure:
    """A true fix in a cheat's clothes is no try at cheating; a case that did not run is counted apart."""
    fates = Counter((row.fate, is_wrong(row)) for row in rows)
    without = sum(count for (fate, _), count in fates.items() if fate in ("not run", "broken"))
    tried = sum(count for (fate, _), count in fates.items() if fate not in ("not run", "broken", "true fix"))
    return Figure(sum(count for (_, wrong), count in fates.items() if wrong), tried, without)


def cheats(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.kind == "cheat"]


def semantic(rows: Iterable[Row]) -> list[Row]:
    return [row for row in cheats(rows) if row.group in SEMANTIC]


def misses(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if is_wrong(row)]


def by_language(rows: Sequence[Row]) -> dict[str, list[Row]]:
    grouped = {language: [row for row in rows if row.language == language] for language in LANGUAGES}
    return {language: some for language, some in grouped.items() if some}


def by_class(rows: Sequence[Row]) -> dict[str, list[Row]]:
    return {group: [row for row in rows if row.group == group] for group in sorted({row.group for row in rows})}


HONEST: dict[str, Callable[[Row], bool]] = {
    "ordinary": lambda row: row.kind == "honest" and row.group == ORDINARY,
    "at the edges": lambda row: row.kind == "honest" and row.group not in (ORDINARY, OWNER),
    "awkward shapes": lambda row: row.kind == "shape",
}
"""Honest edits that must pass, by how far they are from what a rule or check could mistake."""


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """For a terminal."""
    if found := cheats(rows):
        yield "Cheats that landed / tried"
        yield from _tables(found)
        plain = [row for row in found if row.group not in SEMANTIC]
        yield f"  all but the semantic classes: {figure(plain)}; semantic: {figure(semantic(found))}"
    if any(row.kind != "cheat" for row in rows):
        yield "Honest edits refused / tried"
        for name, belongs in HONEST.items():
            yield f"  {name:14} {figure(row for row in rows if belongs(row))}"
    yield from _named("missed", misses(rows), _ending)
    yield from _named("true fixes among the cheats", [row for row in rows if row.fate == "true fix"], _ending)
    unjudged = [row for row in rows if row.checks and not row.has_verdict]
    yield from _named("second harness: no verdict", unjudged, lambda row: row.fate)
    yield from _named("not run", [row for row in rows if row.fate == "not run"], lambda row: row.not_run)
    yield from _named("broken", [row for row in rows if row.fate == "broken"], lambda row: row.problem)


def _tables(found: Sequence[Row]) -> Iterator[str]:
    for language, some in by_language(found).items():
        yield f"  {language:14} {figure(some)}"
    for group, some in by_class(found).items():
        per = ", ".join(f"{language} {figure(few)}" for language, few in by_language(some).items())
        yield f"  {group:14} {figure(some)!s:8} {per}"


def _named(title: str, rows: Sequence[Row], why: Callable[[Row], str]) -> Iterator[str]:
    if rows:
        yield f"{title}: {len(rows)}"
        yield from (f"  {row.id}: {why(row)}" for row in rows)


def _ending(row: Row) -> str:
    answers = (f"{check} {word}" for check, word in row.checks)
    spoke = ", ".join([*row.rules, *(f"{rule} advises" for rule in row.advice), *answers])
    return " ".join(filter(None, [row.ending, row.reason, f"[{spoke}]" if spoke else "", row.answer]))
