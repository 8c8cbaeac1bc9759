"""Which files of base the test commands execute, directly or through others."""

from collections.abc import Callable, Sequence

from reknit.core.testing.command import TestCommand
from reknit.core.testing.entry_files import named_files, settings_of_tests, started_files

MOST_READ = 40
"""Scripts and settings that are read to find what the test commands execute."""


def executed_files(
    read: Callable[[str], str], projects: Sequence[TestCommand], tracked: Sequence[str]
) -> tuple[str, ...]:
    """Return them; `read`: the text of a file of base, empty if there is none."""
    known, found, reads = frozenset(tracked), set[str](), 0
    for project in projects:
        started = started_files(project, read(project.manifest), known)
        found.update(started)
        left, seen = [*started, *settings_of_tests(project.folder, known)], set[str]()
        while left and reads < MOST_READ:
            path = left.pop(0)
            if path in seen:
                continue
            seen.add(path)
            reads += 1
            further = named_files(path, read(path), project.folder, known)
            found.update(further)
            left += further
    return tuple(sorted(found))
