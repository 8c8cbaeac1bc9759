"""Reads what base shows about a change, for the gate of a run and for that of a commit."""

from collections.abc import Callable, Sequence

from reknit.core.gate.base_facts import BaseFacts, facts_of
from reknit.core.gate.shipped import manifests_to_read
from reknit.core.repository.change import Change
from reknit.core.testing.command import TestCommand
from reknit.core.testing.entry_files import named_files, settings_of_tests, started_files

MOST_READ = 40
"""Scripts and settings that are read to find what the test commands execute."""


def tracked_facts(change: Change, tracked: Sequence[str], read: Callable[[str], str]) -> BaseFacts:
    """Return all facts but the mentions."""
    manifests = manifests_to_read(change.paths, tracked)
    return facts_of(change.paths, tracked, {path: read(path) for path in manifests})


def behind_the_command(
    read: Callable[[str], str], projects: Sequence[TestCommand], tracked: Sequence[str]
) -> tuple[str, ...]:
    """Return every file that a test command executes, directly or through others."""
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
