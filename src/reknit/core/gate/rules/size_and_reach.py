"""Rules about the reach and the size of a fix: the failing tests' project, and no more than a person can read."""

from collections.abc import Iterator
from math import ceil

from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change
from reknit.core.repository.paths import find_copied_folder, is_below, is_foreign
from reknit.core.syntax import diff_lines

READ_AS_ONE_LINE = 200
"""Maximum length in characters; a longer line counts as several."""
BYTES_PER_LINE = 400


def find_out_of_reach(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse files outside the project of the failing tests and its dependencies."""
    for file in change.files:
        if not _is_in_reach(file.path, scope):
            yield Refusal(
                "out-of-reach",
                file.path,
                f"{file.path} is outside {scope.project_root}/, the project of the failing tests, and its dependencies",
            )


def find_vendored_files(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse vendored, installed and generated files."""
    for file in change.files:
        if is_foreign(file.path) and not _is_of_the_product(file.path, scope):
            message = f"{file.path} is vendored, installed or generated, not this repository's source"
            yield Refusal("vendored-file", file.path, message)


def _is_of_the_product(path: str, scope: Scope) -> bool:
    """Return True if it is in a tracked folder such as `vendor`, below the top: one at the top contains copies."""
    folder = find_copied_folder(path)
    return scope.facts is not None and "/" in folder and folder in scope.facts.folders


def _is_in_reach(path: str, scope: Scope) -> bool:
    return path in scope.also_in_reach or any(
        is_below(path, folder) for folder in (scope.project_root, *scope.also_in_reach)
    )


def find_too_much(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse changes with too many files, lines or bytes."""
    files, lines, size = len(change.files), _count_lines_to_read(change), _count_changed_bytes(change)
    if files > scope.changed_files:
        yield Refusal("too-much", "", f"the fix changes {files} files; the limit is {scope.changed_files}")
    if lines > scope.changed_lines:
        yield Refusal("too-much", "", f"the fix changes {lines} lines; the limit is {scope.changed_lines}")
    elif size > scope.changed_lines * BYTES_PER_LINE:
        limit = scope.changed_lines * BYTES_PER_LINE
        yield Refusal("too-much", "", f"the fix changes {size} bytes; the limit is {limit}")


def count_lines(change: Change) -> tuple[int, int]:
    """Return the numbers of lines added and removed."""
    diffs = [diff_lines(file) for file in change.files]
    return sum(len(diff.added) for diff in diffs), sum(len(diff.removed) for diff in diffs)


def _count_lines_to_read(change: Change) -> int:
    """Count a long line as several; a carriage return ends a line in many languages."""
    return sum(
        max(1, ceil(len(piece) / READ_AS_ONE_LINE))
        for line in _iterate_changed_lines(change)
        for piece in line.removesuffix("\r").split("\r")
    )


def _count_changed_bytes(change: Change) -> int:
    return sum(len(line.encode("utf-8", "surrogatepass")) for line in _iterate_changed_lines(change))


def _iterate_changed_lines(change: Change) -> Iterator[str]:
    for diff in map(diff_lines, change.files):
        yield from diff.added
        yield from diff.removed
