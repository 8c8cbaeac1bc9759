"""The record of a pull-request run: its iterations and what is left, written to a database and read back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reknit.core.finding import Finding
from reknit.core.fix_pr.check_summary import shown, states
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot, CheckState
from reknit.core.fix_pr.decision import failing
from reknit.core.fix_pr.state import PullRunState, Turn
from reknit.core.runs.feedback import telling_line
from reknit.core.text.format import file_line, words
from reknit.core.text.redact import clean, redact

LEFT = 50
"""Findings that are stored; the counts include all."""
_WEIGHTS = ("critical", "important", "minor")


@dataclass(frozen=True)
class IterationRecord:
    """One iteration: what was seen, and what was done about it."""

    number: int
    head: str
    review: CheckState
    tests: CheckState
    ci: CheckState
    shown: tuple[str, str, str]
    did: str = ""
    """Empty: nothing is decided yet."""
    commit: str = ""
    fixes: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True)
class RemainingFinding:
    id: str
    source: str
    weight: str
    file: str
    line: int
    text: str
    author: str

    @property
    def place(self) -> str:
        return file_line(self.file, self.line)

    @property
    def place_and_text(self) -> str:
        """`R-2 shop/report.py:10 no prices: division by zero`."""
        return " ".join(part for part in (self.id, self.place, self.text) if part)


@dataclass(frozen=True)
class Record:
    turns: tuple[IterationRecord, ...] = ()
    open: IterationRecord | None = None
    """The last look, if it has not become a turn yet."""
    head: str = ""
    left: tuple[RemainingFinding, ...] = ()
    """Most severe first."""
    critical: int = 0
    important: int = 0
    answered: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    """What a person allowed in the commits of the run."""
    advice: tuple[str, ...] = ()
    """What the gate only suspects about them."""

    @property
    def looks(self) -> tuple[IterationRecord, ...]:
        return (*self.turns, self.open) if self.open else self.turns

    @property
    def is_settled(self) -> bool:
        """Whether nothing was pushed since `left` was recorded."""
        return not self.turns or not self.turns[-1].commit or self.turns[-1].head != self.head

    @property
    def under_way(self) -> int:
        """The number of the iteration in progress."""
        return self.turns[-1].number + 1 if self.turns else 1

    @property
    def commits(self) -> tuple[str, ...]:
        return tuple(turn.commit for turn in self.turns if turn.commit)


def record_of(state: PullRunState, checks: ChecksSnapshot | None) -> Record:
    """`checks`: the latest snapshot."""
    turns = tuple(_turn(turn) for turn in state.turns)
    if checks is None:
        return Record(turns, head=state.head, answered=state.answered)
    failed = failing(checks)
    return Record(
        turns=turns,
        open=_open(state, checks),
        head=checks.head,
        left=left_of(failed),
        critical=sum(finding.weight == "critical" for finding in failed),
        important=sum(finding.weight == "important" for finding in failed),
        answered=state.answered,
        flaky=tuple(words(test) for test in checks.tests.flaky[:LEFT]),
    )


def record_in(document: Mapping[str, Any]) -> Record:
    """From the stored document; an empty one is a run that has seen nothing yet."""
    if not document:
        return Record()
    found = document["open"]
    return Record(
        turns=tuple(_look(turn) for turn in document["turns"]),
        open=_look(found) if found else None,
        head=document["head"],
        left=tuple(RemainingFinding(**left) for left in document["left"]),
        critical=document["critical"],
        important=document["important"],
        answered=tuple(document["answered"]),
        flaky=tuple(document["flaky"]),
        allowed=tuple(document.get("allowed", ())),
        advice=tuple(document.get("advice", ())),
    )


def folded(looks: Sequence[IterationRecord]) -> tuple[tuple[str, IterationRecord], ...]:
    """Repeated looks become one row: `3-5`."""
    rows: list[tuple[int, IterationRecord]] = []
    for look in looks:
        if rows and _is_again(rows[-1][1], look):
            first, before = rows[-1]
            rows[-1] = first, replace(look, cost_usd=before.cost_usd + look.cost_usd)
            continue
        rows.append((look.number, look))
    return tuple((str(look.number) if first == look.number else f"{first}-{look.number}", look) for first, look in rows)


def _is_again(before: IterationRecord, look: IterationRecord) -> bool:
    same = before.shown == look.shown and before.did == look.did
    return same and not before.commit and not look.commit


def _turn(turn: Turn) -> IterationRecord:
    seen = words(turn.shown[0], 60), words(turn.shown[1], 60), words(turn.shown[2], 60)
    return IterationRecord(
        turn.number, turn.head, turn.review, turn.tests, turn.ci, seen, words(turn.did), turn.commit, turn.fixes,
        round(turn.cost_usd, 6),
    )  # fmt: skip


def _open(state: PullRunState, checks: ChecksSnapshot) -> IterationRecord | None:
    now = checks.head, *states(checks)
    last = state.turns[-1] if state.turns else None
    if last and (last.head, last.review, last.tests, last.ci) == now:
        return None
    return IterationRecord(state.number, *now, shown=shown(checks))


def left_of(findings: Sequence[Finding]) -> tuple[RemainingFinding, ...]:
    """Most severe first."""
    heaviest = sorted(findings, key=lambda finding: _WEIGHTS.index(finding.weight))
    return tuple(_left(finding) for finding in heaviest[:LEFT])


def _left(finding: Finding) -> RemainingFinding:
    return RemainingFinding(
        words(finding.id, 20), finding.source, finding.weight, words(finding.file), finding.line, finding_text(finding),
        words(finding.author, 60),
    )  # fmt: skip


def finding_text(finding: Finding) -> str:
    """The text of a review; for a test or a check, its name and the most telling line."""
    if finding.source == "review" and finding.message.strip():
        return words(finding.message)
    said = telling_line(replace(finding, message=redact(clean(finding.message))))
    return words(f"{finding.subject}: {said}" if said and said != finding.subject else finding.subject)


def _look(found: Mapping[str, Any]) -> IterationRecord:
    review, tests, ci_word = found["shown"]
    return IterationRecord(**{**found, "shown": (review, tests, ci_word)})
