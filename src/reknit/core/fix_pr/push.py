"""The result of pushing a fix: the commit, the remarks that it answers, or the ending if the forge refuses."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from reknit.core.finding import Finding
from reknit.core.forge.permission import PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.repository.change import Change, FileChange
from reknit.core.runs.ending import LOGIN, Ending
from reknit.core.runs.limits import Limits


@dataclass(frozen=True)
class Candidate:
    """A commit that passed the gate and the tests, and the head it is based on."""

    commit: str
    head: str


@dataclass(frozen=True)
class Pushed:
    """A fix that is on the branch of the pull request."""

    commit: str
    grown_source: int = 0
    grown_tests: int = 0
    answered: tuple[str, ...] = ()
    """Ids of the reviews that the fix answers."""


@dataclass(frozen=True)
class NotPushed:
    """A fix that was not pushed, with the reason."""

    why: str
    """For people, in a few words."""
    feedback: str = ""
    """For the next attempt."""
    refused: bool = False
    """True if the tests turned green by tampering, or in a way that looks like it."""
    unproven: tuple[str, ...] = ()
    """Tests that turned green, though nothing shows that the fix is the reason."""


@dataclass(frozen=True)
class BranchMoved:
    """Someone else pushed first; their commits are untouched."""

    head: str


def find_blocked_ending(snapshot: PullSnapshot, commits: tuple[str, ...] = ()) -> Ending | None:
    """Return the ending if the pull request cannot even be checked. `commits`: the commits of this run so far."""
    if snapshot.barred is None or snapshot.barred.read_only:
        return None
    return Ending("BLOCKED", snapshot.barred.sentence, snapshot.barred.cause, commits)


def find_failure_ending(
    failure: ForgeFailure, waits: int, limits: Limits, commits: tuple[str, ...] = ()
) -> Ending | None:
    """Return the ending if a failure of the forge ends the run; None: wait and retry.

    `waits`: waits for the forge in a row, without an answer in between.
    """
    if failure.kind == "login":
        return Ending("BLOCKED", f"the forge rejected the login: {failure.detail}", LOGIN, commits)
    if failure.kind in ("forbidden", "missing"):
        return Ending("BLOCKED", f"the forge refused: {failure.detail}", failure.kind, commits)
    if waits >= limits.waits:
        return Ending(
            "UNVERIFIED", f"the forge did not answer {waits} times in a row: {failure.detail}", "forge", commits
        )
    return None


LARGEST_LINES = 5_000
"""Maximum lines of a compared file; in longer ones the threads stay open for a person to check."""


def find_touched(findings: Iterable[Finding], change: Change) -> tuple[Finding, ...]:
    """Return the findings whose line the change touches."""
    with_line = [finding for finding in findings if finding.line]
    paths = {finding.file for finding in with_line}
    changed = {file.path: _find_changed_lines(file) for file in change.files if file.path in paths}
    return tuple(
        finding
        for finding in with_line
        if any(start < finding.line <= end for start, end in changed.get(finding.file, ()))
    )


def find_answered_threads(findings: Iterable[Finding], change: Change) -> tuple[Finding, ...]:
    """Return the review threads on lines that the change touches."""
    return find_touched([finding for finding in findings if finding.remark and finding.rule == "thread"], change)


def find_answered_reviews(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the reviews that a fix of these findings answers; their authors must review again.

    A review has no line, so a fix answers it only if it was about reviews alone.
    """
    all_findings = list(findings)
    if any(finding.source != "review" for finding in all_findings):
        return ()
    return tuple(finding.remark for finding in all_findings if finding.remark and finding.rule == "review")


def _find_changed_lines(file: FileChange) -> list[tuple[int, int]]:
    """Return (line before the change, its last line) for each change; an insertion changes the line after it."""
    before, after = file.text_before.split("\n"), file.text_after.split("\n")
    if max(len(before), len(after)) > LARGEST_LINES:
        return []
    # The matcher is slow on repeated lines, so it gets only the part between equal starts and ends.
    same = _count_same_start(before, after)
    before, after = before[same:], after[same:]
    rest = _count_same_start(before[::-1], after[::-1])
    matcher = SequenceMatcher(None, before[: len(before) - rest], after[: len(after) - rest], autojunk=False)
    return [
        (same + start, same + end + (start == end)) for word, start, end, *_ in matcher.get_opcodes() if word != "equal"
    ]


def _count_same_start(one: list[str], other: list[str]) -> int:
    """Count the identical leading lines."""
    pairs = zip(one, other, strict=False)
    return next(
        (number for number, (line, other_line) in enumerate(pairs) if line != other_line), min(len(one), len(other))
    )
