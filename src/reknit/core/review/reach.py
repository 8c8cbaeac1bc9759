"""Decides whether a change reaches what findings are about: their files, code in these files, and their lines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from reknit.core.gate.code_change import list_code_paths
from reknit.core.repository.change import Change, FileChange
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.syntax import LARGEST_COMPARISON

BESIDE_THE_FINDINGS = "the change does not touch the file that the findings are in"
ONLY_COMMENTS = "the change touches only comments and blanks in the file that the findings are in"
NEAR = 3
"""Number of lines between a changed line and a finding's line at which the finding counts as touched."""


@dataclass(frozen=True)
class Reach:
    """The part of some findings that a change reaches."""

    missed: str
    """Why the change cannot be a fix of them; empty: it can."""
    touched: tuple[str, ...] = ()
    """Ids of the findings whose lines are changed, or lie beside lines that are."""

    @property
    def may_settle(self) -> bool:
        """Return True if the change, made for other findings, may have removed these too."""
        return bool(self.touched) and not self.missed


def find_reach(change: Change, findings: tuple[ListedFinding, ...], earlier: Change) -> Reach:
    """Return what a change reaches of findings.

    `earlier`: the change from the tree that the findings' lines are of to the one that this change begins at.
    """
    moved = {file.path: file for file in earlier.files}
    findings = tuple(
        replace(finding, line=_follow_line(moved[finding.file], finding.line)) if finding.file in moved else finding
        for finding in findings
    )
    files = {file.path: file for file in change.files}
    in_changed_file = [finding for finding in findings if finding.file in files]
    touched = tuple(finding.id for finding in in_changed_file if _is_touched(files[finding.file], finding.line))
    if not in_changed_file:
        return Reach(BESIDE_THE_FINDINGS)
    code = list_code_paths(change)
    if any(finding.file in code or _is_comment(files[finding.file], finding.line) for finding in in_changed_file):
        return Reach("", touched)
    return Reach(ONLY_COMMENTS, touched)


def _is_comment(file: FileChange, line: int) -> bool:
    """Return True if the line before the change is a comment: without it, the code is the same."""
    lines = file.text_before.splitlines(keepends=True)
    if not 0 < line <= len(lines) or not lines[line - 1].strip():
        return False
    without = "".join(lines[: line - 1] + lines[line:]).encode()
    return not list_code_paths(Change((replace(file, after=without, mode_after=file.mode_before),)))


def _follow_line(file: FileChange, line: int) -> int:
    """Return the line's number after the change; 0 if it is gone or cannot be followed."""
    for word, start, end, after, _ in compare_lines(file):
        if word == "equal" and start < line <= end:
            return after + line - start
    return 0


def compare_lines(file: FileChange) -> Sequence[tuple[str, int, int, int, int]]:
    """Return what differs, as `SequenceMatcher` does; files that are too long to compare differ as a whole."""
    before, after = file.text_before.splitlines(), file.text_after.splitlines()
    if len(before) * len(after) > LARGEST_COMPARISON:
        return [("replace", 0, len(before), 0, len(after))]
    return SequenceMatcher(None, before, after).get_opcodes()


def _is_touched(file: FileChange, line: int) -> bool:
    return line == 0 or any(
        start - NEAR < line <= end + NEAR for word, start, end, _, _ in compare_lines(file) if word != "equal"
    )
