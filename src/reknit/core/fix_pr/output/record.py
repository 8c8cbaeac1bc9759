"""The stored record of a pull-request run: its iterations and the remaining findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import ChecksSnapshot, CheckState, classify_checks, summarize_checks
from reknit.core.fix_pr.decision import list_failures
from reknit.core.fix_pr.state import PullRunState, Turn
from reknit.core.runs.feedback import find_telling_line
from reknit.core.text.format import format_location, sanitize_line
from reknit.core.text.redact import clean, redact

MAX_REMAINING = 50
"""Maximum number of stored findings; the counts include all."""
_WEIGHTS = ("critical", "important", "minor")


@dataclass(frozen=True)
class IterationRecord:
    """One iteration: its results, and the action that followed."""

    number: int
    head: str
    review: CheckState
    tests: CheckState
    ci: CheckState
    shown: tuple[str, str, str]
    did: str = ""
    """The decision or the action, for people; empty: nothing is decided yet."""
    commit: str = ""
    fixes: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True)
class RemainingFinding:
    """A finding that is not fixed yet, cut to size."""

    id: str
    source: str
    weight: str
    file: str
    line: int
    text: str
    author: str
    key: str = ""
    """Stays the same if the finding is reported again; empty in records of older versions."""

    @property
    def place(self) -> str:
        return format_location(self.file, self.line)

    @property
    def place_and_text(self) -> str:
        """Return `R-2 shop/report.py:10 no prices: division by zero`."""
        return " ".join(part for part in (self.id, self.place, self.text) if part)


@dataclass(frozen=True)
class Record:
    """The course of a run: its iterations, and the remaining findings."""

    turns: tuple[IterationRecord, ...] = ()
    open: IterationRecord | None = None
    """The iteration in progress, if its results differ from those of the last turn."""
    head: str = ""
    left: tuple[RemainingFinding, ...] = ()
    """The remaining findings, the most severe first."""
    critical: int = 0
    important: int = 0
    answered: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    """Changes in the commits of the run that a person allowed."""
    advice: tuple[str, ...] = ()
    """Suspicions of the gate about these commits."""
    suggestions: tuple[RemainingFinding, ...] = ()
    """Minor findings, which are never fixed."""

    @property
    def looks(self) -> tuple[IterationRecord, ...]:
        return (*self.turns, self.open) if self.open else self.turns

    @property
    def is_settled(self) -> bool:
        """Return True if nothing was pushed after `left` was recorded."""
        return not self.turns or not self.turns[-1].commit or self.turns[-1].head != self.head

    @property
    def under_way(self) -> int:
        """Return the number of the iteration in progress."""
        return self.turns[-1].number + 1 if self.turns else 1

    @property
    def commits(self) -> tuple[str, ...]:
        return tuple(turn.commit for turn in self.turns if turn.commit)


def to_record(state: PullRunState, checks: ChecksSnapshot | None) -> Record:
    """Return the record of a run. `checks`: the latest snapshot."""
    turns = tuple(_to_iteration(turn) for turn in state.turns)
    if checks is None:
        return Record(turns, head=state.head, answered=state.answered)
    failed = list_failures(checks)
    return Record(
        turns=turns,
        open=_find_open_iteration(state, checks),
        head=checks.head,
        left=to_remaining_findings(failed),
        critical=sum(finding.weight == "critical" for finding in failed),
        important=sum(finding.weight == "important" for finding in failed),
        answered=state.answered,
        flaky=tuple(sanitize_line(test) for test in checks.tests.flaky[:MAX_REMAINING]),
        suggestions=to_remaining_findings([finding for finding in checks.findings if finding.weight == "minor"]),
    )


def read_record(document: Mapping[str, Any]) -> Record:
    """Read the stored document; an empty one belongs to a run without any results yet."""
    if not document:
        return Record()
    open_iteration = document["open"]
    return Record(
        turns=tuple(_read_iteration(turn) for turn in document["turns"]),
        open=_read_iteration(open_iteration) if open_iteration else None,
        head=document["head"],
        left=tuple(RemainingFinding(**finding) for finding in document["left"]),
        critical=document["critical"],
        important=document["important"],
        answered=tuple(document["answered"]),
        flaky=tuple(document["flaky"]),
        allowed=tuple(document.get("allowed", ())),
        advice=tuple(document.get("advice", ())),
        suggestions=tuple(RemainingFinding(**finding) for finding in document.get("suggestions", ())),
    )


def fold_repeats(looks: Sequence[IterationRecord]) -> tuple[tuple[str, IterationRecord], ...]:
    """Join repeated iterations into one row: `3-5`."""
    rows: list[tuple[int, IterationRecord]] = []
    for look in looks:
        if rows and _is_repeat(rows[-1][1], look):
            first, before = rows[-1]
            rows[-1] = first, replace(look, cost_usd=before.cost_usd + look.cost_usd)
            continue
        rows.append((look.number, look))
    return tuple((str(look.number) if first == look.number else f"{first}-{look.number}", look) for first, look in rows)


def _is_repeat(before: IterationRecord, look: IterationRecord) -> bool:
    same = before.shown == look.shown and before.did == look.did
    return same and not before.commit and not look.commit


def _to_iteration(turn: Turn) -> IterationRecord:
    review, tests, ci = (sanitize_line(summary, 60) for summary in turn.summaries)
    return IterationRecord(
        turn.number, turn.head, turn.review, turn.tests, turn.ci, (review, tests, ci), sanitize_line(turn.did),
        turn.commit, turn.fixes, round(turn.cost_usd, 6),
    )  # fmt: skip


def _find_open_iteration(state: PullRunState, checks: ChecksSnapshot) -> IterationRecord | None:
    now = checks.head, *classify_checks(checks)
    last = state.turns[-1] if state.turns else None
    if last and (last.head, last.review, last.tests, last.ci) == now:
        return None
    return IterationRecord(state.number, *now, shown=summarize_checks(checks))


def to_remaining_findings(findings: Sequence[Finding]) -> tuple[RemainingFinding, ...]:
    """Return the findings to store, most severe first."""
    by_weight = sorted(findings, key=lambda finding: _WEIGHTS.index(finding.weight))
    return tuple(_to_remaining_finding(finding) for finding in by_weight[:MAX_REMAINING])


def _to_remaining_finding(finding: Finding) -> RemainingFinding:
    return RemainingFinding(
        id=sanitize_line(finding.id, 20),
        source=finding.source,
        weight=finding.weight,
        file=sanitize_line(finding.file),
        line=finding.line,
        text=summarize_finding(finding),
        author=sanitize_line(finding.author, 60),
        key=make_key(finding),
    )


def make_key(finding: Finding) -> str:
    """Return what stays the same if its source reports the finding again."""
    name = finding.remark or finding.fingerprint if finding.source == "review" else finding.subject
    return sanitize_line(f"{finding.source} {name}")


def summarize_finding(finding: Finding) -> str:
    """Return the text of a review finding; for a test or a CI check, its name and the key line of its message."""
    if finding.source == "review" and finding.message.strip():
        return sanitize_line(finding.message)
    line = find_telling_line(replace(finding, message=redact(clean(finding.message))))
    return sanitize_line(f"{finding.subject}: {line}" if line and line != finding.subject else finding.subject)


def _read_iteration(iteration: Mapping[str, Any]) -> IterationRecord:
    review, tests, ci_word = iteration["shown"]
    return IterationRecord(**{**iteration, "shown": (review, tests, ci_word)})
