"""Rules about how far a fix may reach: the failing tests' own project, and not more than a person can read."""

from collections.abc import Iterator

from reknit.core.change import Change
from reknit.core.gate.lines import line_diff
from reknit.core.gate.paths import is_below, is_foreign
from reknit.core.gate.scope import Scope
from reknit.core.verdict import Refusal


def out_of_reach(change: Change, scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if is_foreign(file.path):
            yield Refusal(
                "out-of-reach",
                file.path,
                f"{file.path} is vendored, installed or generated, not this repository's source",
            )
        elif not is_below(file.path, scope.project_root):
            yield Refusal(
                "out-of-reach",
                file.path,
                f"{file.path} is outside {scope.project_root}/, the project of the failing tests",
            )


def too_much(change: Change, scope: Scope) -> Iterator[Refusal]:
    files, (added, removed) = len(change.files), count_lines(change)
    if files > scope.changed_files:
        yield Refusal("too-much", "", f"the fix changes {files} files; the limit is {scope.changed_files}")
    if added + removed > scope.changed_lines:
        yield Refusal("too-much", "", f"the fix changes {added + removed} lines; the limit is {scope.changed_lines}")


def count_lines(change: Change) -> tuple[int, int]:
    """Lines added and removed."""
    diffs = [line_diff(file) for file in change.files]
    return sum(len(diff.added) for diff in diffs), sum(len(diff.removed) for diff in diffs)
