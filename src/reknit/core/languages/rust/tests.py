"""Finds weakened tests inside Rust source files, which no rule about paths protects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from reknit.core.languages.language import WeakenedTests
from reknit.core.syntax import parse_tree

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_TEST_MARK = re.compile(r"#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case)\b(?!\s*::)")
_IN_A_MACRO = re.compile(
    r"#\[(?:\w+::)*test(?:\([^\]]{0,200}\))?\]\s*+(?:#\[[^\]]{0,200}\]\s*+){0,8}(?:pub\s+)?(?:async\s+)?fn\s+(\w+)"
)
_IGNORED = re.compile(r"#\[\s*(?:ignore|should_panic)\b")
_FOR_TESTS = re.compile(r"#\[\s*cfg\s*\([^\]]{0,100}\btest\b")
_CONDITION = re.compile(r"#!?\[\s*cfg(?:_attr)?\s*\(")
_ITEM = re.compile(r"\b(?:fn|struct|enum|type|const|static|trait|mod|macro_rules\s*!)\s+(\w+)")
_USED = re.compile(r"\buse\s++([^;]{1,300}+);")
_LAST_WORD = re.compile(r"\b([a-zA-Z_]\w*)\b(?!\s*(?:::|\bas\b))")
_MARKS = frozenset({"attribute_item", "inner_attribute_item"})


@dataclass(frozen=True)
class RustTest:
    """A test function in a source file."""

    name: str
    text: str
    """Text with its attributes; each run of white space is one space."""
    around: tuple[str, ...]
    """Conditions and macros around the test, outermost last."""
    is_ignored: bool


@dataclass(frozen=True)
class RustFile:
    """The tests of a source file and the code around them."""

    tests: tuple[RustTest, ...]
    modules: tuple[str, ...]
    """Texts of the modules that are compiled for tests only, with their attributes."""
    macros: tuple[str, ...]
    """Macros that the file defines."""


def find_removed_tests(before: str, after: str) -> list[str]:
    """Return tests that were removed, commented out or moved into a string."""
    names = (Counter(test.name for test in _parse_file(text).tests) for text in (before, after))
    old, new = names
    return sorted((old - new).elements())


def count_added_ignores(before: str, after: str) -> int:
    """Count added attributes that skip or invert a test."""
    old, new = (sum(test.is_ignored for test in _parse_file(text).tests) for text in (before, after))
    return max(0, new - old)


def find_added_conditions(before: str, after: str) -> list[str]:
    """Return added attributes that compile tests conditionally, and macros into which tests were put."""
    old, new = (
        Counter((test.name, mark) for test in _parse_file(text).tests for mark in test.around)
        for text in (before, after)
    )
    there = {test.name for test in _parse_file(before).tests}
    return sorted({mark for name, mark in new - old if name in there and mark != "#[cfg(test)]"})


def count_lost_lines(before: str, after: str) -> int:
    """Count the removed and changed lines of test modules."""
    return (_count_module_lines(before) - _count_module_lines(after)).total()


def find_changed_tests(before: str, after: str) -> list[str]:
    """Return the names of changed tests: even one added line can be an early `return`."""
    old, new = (Counter((test.name, test.text) for test in _parse_file(text).tests) for text in (before, after))
    still_there = {test.name for test in _parse_file(after).tests}
    return sorted({name for name, _text in old - new if name in still_there})


def find_redefined_names(before: str, after: str) -> list[str]:
    """Return names that the tests use and that a change defines again, in their module or as a macro."""
    old, new = _parse_file(before), _parse_file(after)
    used = set(re.findall(r"\w+", "\n".join((*old.modules, *(test.text for test in old.tests)))))
    inside = Counter(_find_defined_names("\n".join(new.modules))) - Counter(_find_defined_names("\n".join(old.modules)))
    return sorted((set(inside) | (set(new.macros) - set(old.macros))) & used)


@lru_cache(maxsize=4)  # three rules need it
def _parse_file(text: str) -> RustFile:
    root = parse_tree(text, "rust")
    tests = [*_find_functions(root), *_find_in_macros(root)]
    modules = [_text_with_attributes(module) for module in root.find_all(kind="mod_item") if _is_for_tests(module)]
    return RustFile(tuple(tests), tuple(modules), tuple(_find_macros(root)))


def _find_functions(root: SgNode) -> Iterator[RustTest]:
    for function in root.find_all(kind="function_item"):
        marks, name = _find_attributes(function), function.field("name")
        if name is not None and any(map(_TEST_MARK.match, marks)):
            text = " ".join(_text_with_attributes(function).split())
            yield RustTest(name.text(), text, tuple(_find_conditions(function, marks)), any(map(_IGNORED.match, marks)))


def _find_in_macros(root: SgNode) -> Iterator[RustTest]:
    """Yield tests inside macros. Only the compiler knows if a macro expands to a test, so compare its text."""
    for macro in root.find_all(kind="macro_invocation"):
        text = macro.text()
        for match in _IN_A_MACRO.finditer(text) if "test" in text else ():
            inside = " ".join(text.split())
            yield RustTest(
                match[1], inside, (f"{_read_name(macro)}!", *_find_conditions(macro, ())), "#[ignore" in match[0]
            )


def _find_conditions(node: SgNode, marks: tuple[str, ...]) -> Iterator[str]:
    yield from (mark for mark in marks if _CONDITION.match(mark))
    for outer in node.ancestors():
        inner = [child.text() for child in outer.children() if child.kind() == "inner_attribute_item"]
        yield from (mark for mark in (*inner, *_find_attributes(outer)) if _CONDITION.match(mark))


def _find_attributes(node: SgNode) -> tuple[str, ...]:
    """Return the attributes of an item; comments may stand between them."""
    marks = []
    for before in node.prev_all():
        if before.kind() == "attribute_item":
            marks.append(before.text())
        elif "comment" not in before.kind():
            break
    return tuple(marks)


def _text_with_attributes(node: SgNode) -> str:
    return "\n".join((*reversed(_find_attributes(node)), node.text()))


def _is_for_tests(module: SgNode) -> bool:
    return any(map(_FOR_TESTS.match, _find_attributes(module)))


def _find_macros(root: SgNode) -> Iterator[str]:
    for macro in root.find_all(kind="macro_definition"):
        yield _read_name(macro)
    for macro in root.find_all(kind="macro_invocation"):
        if _read_name(macro) == "macro_rules":  # a comment before its name keeps the parser from seeing a definition
            yield from (child.text() for child in macro.children() if child.kind() == "ERROR")


def _read_name(node: SgNode) -> str:
    name = node.field("name") or node.field("macro")
    return name.text() if name else ""


def _count_module_lines(text: str) -> Counter[str]:
    lines = (line.strip() for module in _parse_file(text).modules for line in module.splitlines())
    return Counter(line for line in lines if line not in ("", "{", "}"))


def _find_defined_names(text: str) -> Iterator[str]:
    yield from _ITEM.findall(text)
    for used in _USED.findall(text):
        yield from _LAST_WORD.findall(used)


def find_weakened_tests(path: str, before: str, after: str) -> Iterator[WeakenedTests]:
    """Yield each way in which a change to a source file weakens the tests inside it."""
    for name in find_removed_tests(before, after):
        yield WeakenedTests("test-removed", f"the fix removed the test {name} in {path}")
    if count_added_ignores(before, after):
        yield WeakenedTests("test-skipped", f"the fix marks a test in {path} as ignored or should_panic")
    for mark in find_added_conditions(before, after):
        yield WeakenedTests("test-skipped", f"the fix puts {mark} on tests in {path}")
    if lost := count_lost_lines(before, after):
        yield WeakenedTests("test-emptied", f"the fix changed {lost} lines of the tests in {path}")
    for name in find_changed_tests(before, after):
        yield WeakenedTests("test-emptied", f"the fix changed the test {name} in {path}")
    for name in find_redefined_names(before, after):
        yield WeakenedTests("test-emptied", f"the fix redefines {name} in the tests of {path}")
