"""Rules that keep every test: none removed, none skipped, none emptied."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax import go_tests, java_tests, javascript_tests, rust_tests
from reknit.core.gate.syntax.found_tests import FoundTest, FoundTests
from reknit.core.gate.syntax.line_diff import changed_lines
from reknit.core.gate.syntax.python_tests import doctests_of, parse, read_tests
from reknit.core.gate.syntax.trees import Language, tree_of
from reknit.core.gate.test_evidence import imports_a_test_library, is_test_code
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_python

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_HOLDS_TESTS = re.compile(r"\bdef[ \t\f\\\r\n]+test")
_TREES: Mapping[str, tuple[Language, Callable[[SgNode], FoundTests]]] = {
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), ("javascript", javascript_tests.read)),
    **dict.fromkeys((".ts", ".mts", ".cts"), ("typescript", javascript_tests.read)),
    ".tsx": ("tsx", javascript_tests.read),
    ".go": ("go", go_tests.read),
    ".java": ("java", java_tests.read),
}
# Without such a word there is no test, and no tree is built.
_TEST_IN_A_TREE = re.compile(
    r"\b(?:it|test|specify|fit|xit|xtest)\b|\bfunc\s+(?:Test|Fuzz|Example)|@\w*Test|TestCase|@Property|@Theory"
)


def removed_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    for file in _files_with_tests(change, scope):
        before, after = _tests(file)
        if file.after is not None and before.tests and is_python(file.path) and parse(file.text_after) is None:
            yield Refusal(
                "test-removed", file.path, f"the fix left {file.path} unreadable as Python, so its tests are gone"
            )
            continue
        for name in (name for name in before.tests if name not in after.tests):
            yield Refusal("test-removed", file.path, f"the fix removed {file.path}::{name}")
    yield from _doctests_removed(change)
    for file in _rust_files(change):
        for name in rust_tests.removed(file.text_before, file.text_after):
            yield Refusal("test-removed", file.path, f"the fix removed the test {name} in {file.path}")


def skipped_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    for file in _files_with_tests(change, scope):
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


def emptied_tests(change: Change, scope: Scope) -> Iterator[Refusal]:
    for file in _files_with_tests(change, scope):
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


def _weaker(old: FoundTest, new: FoundTest) -> str:
    if new.definitions > old.definitions:
        return "a second definition hides the first"
    if new.is_empty and not old.is_empty:
        return "it ends before it checks anything"
    if new.assertions < old.assertions:
        return f"{old.assertions} assertions before, {new.assertions} now"
    if new.parameters < old.parameters:
        return f"{old.parameters} parameter sets before, {new.parameters} now"
    return ""


def _doctests_removed(change: Change) -> Iterator[Refusal]:
    """In any file: an example is a test, or documents what the function does. It may move with its function."""
    files = [file for file in change.files if is_python(file.path)]
    added = Counter[tuple[str, str]]()
    for file in files:
        added += doctests_of(file.text_after) - doctests_of(file.text_before)
    for file in files:
        gone = doctests_of(file.text_before) - doctests_of(file.text_after)
        for source, _want in sorted(gone - added):
            yield Refusal(
                "test-removed", file.path, f"the fix removed or changed the doctest `{source}` in {file.path}"
            )
        added -= gone


def _files_with_tests(change: Change, scope: Scope) -> Iterator[FileChange]:
    """A function `test_connection` in a source file is no test: no runner looks there, and base's run saw none."""
    read = (".py", ".pyi", *_TREES)
    for file in change.files:
        if file.before is None or not file.path.lower().endswith(read):
            continue
        if not scope.facts or is_test_code(file, scope) or imports_a_test_library(file.path, file.text_before):
            yield file


def _rust_files(change: Change) -> Iterator[FileChange]:
    return (file for file in change.files if file.path.endswith(".rs") and file.before is not None)


@lru_cache(maxsize=64)  # three rules need them
def _tests(file: FileChange) -> tuple[FoundTests, FoundTests]:
    """Before and after."""
    if not is_python(file.path):
        language, read = _TREES[posixpath.splitext(file.path.lower())[1]]
        return _read_tree(file.text_before, language, read), _read_tree(file.text_after, language, read)
    lines = changed_lines(file.text_before, file.text_after) or (None, None)
    return _read(file.text_before, lines[0]), _read(file.text_after, lines[1])


def _read_tree(text: str, language: Language, read: Callable[[SgNode], FoundTests]) -> FoundTests:
    return read(tree_of(text, language)) if _TEST_IN_A_TREE.search(text) else FoundTests()


def _read(text: str, lines: range | None) -> FoundTests:
    module = parse(text) if _HOLDS_TESTS.search(text) else None
    return read_tests(module, lines) if module else FoundTests({}, Counter())


def _pairs(before: FoundTests, after: FoundTests) -> Iterator[tuple[FoundTest, FoundTest]]:
    return ((old, after.tests[name]) for name, old in before.tests.items() if name in after.tests)
