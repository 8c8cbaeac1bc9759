"""Rules that keep every test: none removed, none skipped, none emptied."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from reknit.core.gate.scope import Scope
from reknit.core.gate.test_evidence import imports_a_test_library, is_test_code
from reknit.core.gate.verdict import Refusal
from reknit.core.languages.language import WeakenedTests
from reknit.core.languages.python.tests import list_doctests, parse
from reknit.core.languages.registry import LANGUAGES, find_language_of_file, list_test_readers
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_python
from reknit.core.syntax import ParsedTest, ParsedTests, find_changed_lines


def find_removed_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse the removal of tests and doctests."""
    for file in _select_files_with_tests(change, scope):
        before, after = _read_both_sides(file)
        if file.after is not None and before.tests and is_python(file.path) and parse(file.text_after) is None:
            yield Refusal(
                "test-removed", file.path, f"the fix left {file.path} unreadable as Python, so its tests are gone"
            )
            continue
        for name in (name for name in before.tests if name not in after.tests):
            yield Refusal("test-removed", file.path, f"the fix removed {file.path}::{name}")
    yield from _find_removed_doctests(change)
    yield from _find_weakened_tests(change, "test-removed")


def find_skipped_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse tests that are newly skipped or expected to fail."""
    for file in _select_files_with_tests(change, scope):
        before, after = _read_both_sides(file)
        for place in sorted(after.skips - before.skips) if before.tests else ():
            owner, _, word = place.rpartition("::")
            location = f"the class {file.path}::{owner}" if owner else f"tests of {file.path}"
            yield Refusal("test-skipped", file.path, f"the fix skips {location} with {word}")
        for old, new in _pair_tests(before, after):
            added = sorted(new.skips - old.skips)
            if added:
                yield Refusal("test-skipped", file.path, f"the fix skips {file.path}::{new.name} with {added[0]}")
    yield from _find_weakened_tests(change, "test-skipped")


def find_emptied_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse tests that check less than before."""
    for file in _select_files_with_tests(change, scope):
        for old, new in _pair_tests(*_read_both_sides(file)):
            weakness = _explain_weaker(old, new)
            if weakness:
                yield Refusal("test-emptied", file.path, f"the fix weakened {file.path}::{new.name}: {weakness}")
    yield from _find_weakened_tests(change, "test-emptied")


def _explain_weaker(old: ParsedTest, new: ParsedTest) -> str:
    if new.definitions > old.definitions:
        return "a second definition hides the first"
    if new.is_empty and not old.is_empty:
        return "it ends before it checks anything"
    if new.assertions < old.assertions:
        return f"{old.assertions} assertions before, {new.assertions} now"
    if new.parameters < old.parameters:
        return f"{old.parameters} parameter sets before, {new.parameters} now"
    return ""


def _find_removed_doctests(change: Change) -> Iterator[Refusal]:
    """Find removed examples in any Python file. An example may move with its function."""
    files = [file for file in change.files if is_python(file.path)]
    added = Counter[tuple[str, str]]()
    for file in files:
        added += list_doctests(file.text_after) - list_doctests(file.text_before)
    for file in files:
        lost_examples = list_doctests(file.text_before) - list_doctests(file.text_after)
        for source, _want in sorted(lost_examples - added):
            yield Refusal(
                "test-removed", file.path, f"the fix removed or changed the doctest `{source}` in {file.path}"
            )
        added -= lost_examples


def _select_files_with_tests(change: Change, scope: Scope) -> Iterator[FileChange]:
    """Yield files that had tests. A function `test_connection` in a source file is not a test."""
    readers = list_test_readers(tuple(LANGUAGES))
    for file in change.files:
        if file.before is None or posixpath.splitext(file.path.lower())[1] not in readers:  # `.ts` has no ending
            continue
        if not scope.facts or is_test_code(file, scope) or imports_a_test_library(file.path, file.text_before):
            yield file


def _find_weakened_tests(change: Change, rule: str) -> Iterator[Refusal]:
    """Find weakened tests inside source files, in languages that have such tests."""
    for file in change.files:
        for weakness in _list_weakened_tests(file):
            if weakness.rule == rule:
                yield Refusal(rule, file.path, weakness.why)


@lru_cache(maxsize=64)  # three rules need them
def _list_weakened_tests(file: FileChange) -> tuple[WeakenedTests, ...]:
    language = find_language_of_file(file.path)
    if file.before is None or language is None:
        return ()
    return language.find_weakened_tests(file.path, file.text_before, file.text_after)


@lru_cache(maxsize=64)  # three rules need them
def _read_both_sides(file: FileChange) -> tuple[ParsedTests, ParsedTests]:
    """Return the tests before and after the change."""
    read = list_test_readers(tuple(LANGUAGES))[posixpath.splitext(file.path.lower())[1]]
    lines = find_changed_lines(file.text_before, file.text_after) or (None, None)
    return read(file.text_before, lines[0]), read(file.text_after, lines[1])


def _pair_tests(before: ParsedTests, after: ParsedTests) -> Iterator[tuple[ParsedTest, ParsedTest]]:
    return ((old, after.tests[name]) for name, old in before.tests.items() if name in after.tests)
