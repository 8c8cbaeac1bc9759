"""Which remarks a commit answers: threads on lines it changed, and the reviews it was about."""

from collections.abc import Iterable
from difflib import SequenceMatcher

from reknit.core.finding import Finding
from reknit.core.repository.change import Change, FileChange

LARGEST_LINES = 5_000
"""In larger files threads stay open for a person to check."""


def touched(findings: Iterable[Finding], change: Change) -> tuple[Finding, ...]:
    """The findings whose own line is changed."""
    placed = [finding for finding in findings if finding.line]
    named = {finding.file for finding in placed}
    changed = {file.path: _changed_lines(file) for file in change.files if file.path in named}
    return tuple(
        finding
        for finding in placed
        if any(start < finding.line <= end for start, end in changed.get(finding.file, ()))
    )


def answered_threads(findings: Iterable[Finding], change: Change) -> tuple[Finding, ...]:
    return touched([finding for finding in findings if finding.remark and finding.rule == "thread"], change)


def answered_reviews(findings: Iterable[Finding]) -> tuple[str, ...]:
    """A review has no line, so a fix answers it only if it was about reviews alone; its author must review again."""
    found = list(findings)
    if any(finding.source != "review" for finding in found):
        return ()
    return tuple(finding.remark for finding in found if finding.remark and finding.rule == "review")


def _changed_lines(file: FileChange) -> list[tuple[int, int]]:
    """(lines before it, its last line) per change; an insertion between two lines changes the second of them."""
    before, after = file.text_before.split("\n"), file.text_after.split("\n")
    if max(len(before), len(after)) > LARGEST_LINES:
        return []
    # The matcher is slow on repeated lines, and most of a file is unchanged.
    same = _same(before, after)
    before, after = before[same:], after[same:]
    rest = _same(before[::-1], after[::-1])
    matcher = SequenceMatcher(None, before[: len(before) - rest], after[: len(after) - rest], autojunk=False)
    return [
        (same + start, same + end + (start == end)) for word, start, end, *_ in matcher.get_opcodes() if word != "equal"
    ]


def _same(one: list[str], other: list[str]) -> int:
    """Number of identical leading lines."""
    pairs = zip(one, other, strict=False)
    return next((number for number, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))
