"""The record of a pull-request run: its iterations and what is left, made for a database and read back from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reknit.core.finding import Finding
from reknit.core.fix_pr.check_summary import shown, states
from reknit.core.fix_pr.checks_snapshot import CheckState, Picture
from reknit.core.fix_pr.decision import failing
from reknit.core.fix_pr.state import Course, Turn
from reknit.core.runs.feedback import telling_line
from reknit.core.text.format import words
from reknit.core.text.redact import clean, redact

LEFT = 50
"""Findings that are kept; the counts are of all."""
_WEIGHTS = ("critical", "important", "minor")


@dataclass(frozen=True)
class Look:
    """One iteration: what was seen, and what came of it."""

    number: int
    head: str
    review: CheckState
    tests: CheckState
    ci: CheckState
    shown: tuple[str, str, str]
    did: str = ""
    """Empty: nothing was decided yet."""
    commit: str = ""
    fixes: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True)
class Left:
    id: str
    source: str
    weight: str
    file: str
    line: int
    text: str
    author: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.file and self.line else self.file

    @property
    def told(self) -> str:
        """`R-2 shop/report.py:10 no prices: division by zero`."""
        return " ".join(part for part in (self.id, self.place, self.text) if part)


@dataclass(frozen=True)
class Record:
    turns: tuple[Look, ...] = ()
    open: Look | None = None
    """The last look, where no turn was made of it yet."""
    head: str = ""
    left: tuple[Left, ...] = ()
    """The heaviest first."""
    critical: int = 0
    important: int = 0
    answered: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()

    @property
    def looks(self) -> tuple[Look, ...]:
        return (*self.turns, self.open) if self.open else self.turns

    @property
    def is_settled(self) -> bool:
        """Whether nothing was pushed since it was seen what is left."""
        return not self.turns or not self.turns[-1].commit or self.turns[-1].head != self.head

    @property
    def under_way(self) -> int:
        """The number of the iteration that goes on."""
        return self.turns[-1].number + 1 if self.turns else 1

    @property
    def commits(self) -> tuple[str, ...]:
        return tuple(turn.commit for turn in self.turns if turn.commit)


def record_of(course: Course, picture: Picture | None) -> Record:
    """`picture`: the last one that was taken."""
    turns = tuple(_turn(turn) for turn in course.turns)
    if picture is None:
        return Record(turns, head=course.head, answered=course.answered)
    failed = failing(picture)
    return Record(
        turns=turns,
        open=_open(course, picture),
        head=picture.head,
        left=left_of(failed),
        critical=sum(finding.weight == "critical" for finding in failed),
        important=sum(finding.weight == "important" for finding in failed),
        answered=course.answered,
        flaky=tuple(words(test) for test in picture.tests.flaky[:LEFT]),
    )


def record_in(document: Mapping[str, Any]) -> Record:
    """From the document that was kept; an empty one is a run that has seen nothing yet."""
    if not document:
        return Record()
    found = document["open"]
    return Record(
        turns=tuple(_look(turn) for turn in document["turns"]),
        open=_look(found) if found else None,
        head=document["head"],
        left=tuple(Left(**left) for left in document["left"]),
        critical=document["critical"],
        important=document["important"],
        answered=tuple(document["answered"]),
        flaky=tuple(document["flaky"]),
    )


def folded(looks: Sequence[Look]) -> tuple[tuple[str, Look], ...]:
    """Looks that repeat become one: `3-5`."""
    rows: list[tuple[int, Look]] = []
    for look in looks:
        if rows and _is_again(rows[-1][1], look):
            first, before = rows[-1]
            rows[-1] = first, replace(look, cost_usd=before.cost_usd + look.cost_usd)
            continue
        rows.append((look.number, look))
    return tuple((str(look.number) if first == look.number else f"{first}-{look.number}", look) for first, look in rows)


def _is_again(before: Look, look: Look) -> bool:
    told = before.shown == look.shown and before.did == look.did
    return told and not before.commit and not look.commit


def _turn(turn: Turn) -> Look:
    seen = words(turn.shown[0], 60), words(turn.shown[1], 60), words(turn.shown[2], 60)
    return Look(
        turn.number, turn.head, turn.review, turn.tests, turn.ci, seen, words(turn.did), turn.commit, turn.fixes,
        round(turn.cost_usd, 6),
    )  # fmt: skip


def _open(course: Course, picture: Picture) -> Look | None:
    now = picture.head, *states(picture)
    last = course.turns[-1] if course.turns else None
    if last and (last.head, last.review, last.tests, last.ci) == now:
        return None
    return Look(course.number, *now, shown=shown(picture))


def left_of(findings: Sequence[Finding]) -> tuple[Left, ...]:
    """The heaviest first."""
    heaviest = sorted(findings, key=lambda finding: _WEIGHTS.index(finding.weight))
    return tuple(_left(finding) for finding in heaviest[:LEFT])


def _left(finding: Finding) -> Left:
    return Left(
        words(finding.id, 20), finding.source, finding.weight, words(finding.file), finding.line, told(finding),
        words(finding.author, 60),
    )  # fmt: skip


def told(finding: Finding) -> str:
    """A review's own words; of a test or a check its name, and the line that says most."""
    if finding.source == "review" and finding.message.strip():
        return words(finding.message)
    said = telling_line(replace(finding, message=redact(clean(finding.message))))
    return words(f"{finding.subject}: {said}" if said and said != finding.subject else finding.subject)


def _look(found: Mapping[str, Any]) -> Look:
    review, tests, ci_word = found["shown"]
    return Look(**{**found, "shown": (review, tests, ci_word)})
