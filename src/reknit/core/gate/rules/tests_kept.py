"""Rules that keep every test: none removed, none skipped, none emptied."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax import rust_tests
from reknit.core.gate.syntax.line_diff import changed_lines
from reknit.core.gate.syntax.python_tests import PythonFile, PythonTest, doctests_of, parse, read_tests
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_python

_HOLDS_TESTS = re.compile(r"\bdef[ \t\f\\\r\n]+test")


def removed_tests(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in _python_files(change):
        before, after = _tests(file)
        if file.after is not None and before.tests and parse(file.text_after) is None:
            yield Refusal(
                "test-removed", file.path, f"the fix left {file.path} unreadable as Python, so its tests are gone"
            )
            continue
        for name in (name for name in before.tests if name not in after.tests):
            yield Refusal("test-removed", file.path, f"the fix removed {file.path}::{name}")
        yield from _doctests_removed(file)
    for file in _rust_files(change):
        for name in rust_tests.removed(file.text_before, file.text_after):
            yield Refusal("test-removed", file.path, f"the fix removed the test {name} in {file.path}")


def skipped_tests(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in _python_files(change):
        before, after = _tests(file)
        for place in sorted(after.skips - before.skips) if before.tests else ():
            owner, _, word = place.rpartition("::")
            where = f"the class {file.path}::{owner}" if owner else f"tests of {file.path}"
            yield Refusal("test-skipped", file.path, f"the fix skips {where} with {word}")
        for old, new in _pairs(before, after):
            added = sorted(new.skips - old.skips)
            if added:
                yield Refusal("test-skipped", file.path, f"the fix skips {file.path}::{new.name} with {added[0]}")
    for file in _rust_files(change):
        if rust_tests.ignored(file.text_before, file.text_after):
            yield Refusal("test-skipped", file.path, f"the fix marks a test in {file.path} as ignored or should_panic")
        for condition in rust_tests.conditions(file.text_before, file.text_after):
            yield Refusal("test-skipped", file.path, f"the fix puts {condition} on tests in {file.path}")


def emptied_tests(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in _python_files(change):
        for old, new in _pairs(*_tests(file)):
            what = _weaker(old, new)
            if what:
                yield Refusal("test-emptied", file.path, f"the fix weakened {file.path}::{new.name}: {what}")
    for file in _rust_files(change):
        lost = rust_tests.lost_lines(file.text_before, file.text_after)
        if lost:
            yield Refusal("test-emptied", file.path, f"the fix changed {lost} lines of the tests in {file.path}")
        for name in rust_tests.changed(file.text_before, file.text_after):
            yield Refusal("test-emptied", file.path, f"the fix changed the test {name} in {file.path}")
        for name in rust_tests.redefined(file.text_before, file.text_after):
            yield Refusal("test-emptied", file.path, f"the fix redefines {name} in the tests of {file.path}")


def _weaker(old: PythonTest, new: PythonTest) -> str:
    if new.definitions > old.definitions:
        return "a second definition hides the first"
    if new.is_empty and not old.is_empty:
        return "it ends before it checks anything"
    if new.assertions < old.assertions:
        return f"{old.assertions} assertions before, {new.assertions} now"
    if new.parameters < old.parameters:
        return f"{old.parameters} parameter sets before, {new.parameters} now"
    return ""


def _doctests_removed(file: FileChange) -> Iterable[Refusal]:
    """In any file: an example is a test, or at least documents what the function does."""
    gone = doctests_of(file.text_before) - doctests_of(file.text_after)
    for source, _want in sorted(gone):
        yield Refusal("test-removed", file.path, f"the fix removed or changed the doctest `{source}` in {file.path}")


def _python_files(change: Change) -> Iterator[FileChange]:
    return (file for file in change.files if is_python(file.path) and file.before is not None)


def _rust_files(change: Change) -> Iterator[FileChange]:
    return (file for file in change.files if file.path.endswith(".rs") and file.before is not None)


@lru_cache(maxsize=64)  # three rules need them
def _tests(file: FileChange) -> tuple[PythonFile, PythonFile]:
    """Before and after."""
    lines = changed_lines(file.text_before, file.text_after) or (None, None)
    return _read(file.text_before, lines[0]), _read(file.text_after, lines[1])


def _read(text: str, lines: range | None) -> PythonFile:
    module = parse(text) if _HOLDS_TESTS.search(text) else None
    return read_tests(module, lines) if module else PythonFile({}, Counter())


def _pairs(before: PythonFile, after: PythonFile) -> Iterator[tuple[PythonTest, PythonTest]]:
    return ((old, after.tests[name]) for name, old in before.tests.items() if name in after.tests)
