"""Finds the tests of a Java file: annotated methods, and those of a JUnit 3 `TestCase`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reknit.core.syntax import ParsedTest, ParsedTests, ends_at_once, read_field, read_tree

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_TEST = re.compile(r"(?:\w+\.)*(?:\w*Test|TestFactory|TestTemplate|Property|Theory)")
_SKIP = re.compile(r"(?:\w+\.)*(?:Disabled|Enabled|Ignore)\w*")
_OFF = re.compile(r"\benabled\s*=\s*false\b|\bexpected(?:Exceptions)?\s*=")
_CHECK = re.compile(r"(?:assert|verify|fail|expect)\w*")
_ASSUMPTION = re.compile(r"assum\w*|abort")
_CLASSES = frozenset({"class_declaration", "record_declaration", "interface_declaration"})


def read(root: SgNode) -> ParsedTests:
    """Return the tests of a file, with their assertions and skips."""
    tests = ParsedTests()
    for method in root.find_all(kind="method_declaration"):
        classes = [outer for outer in method.ancestors() if outer.kind() in _CLASSES]
        marks = dict(_find_annotations(method))
        if any(map(_TEST.fullmatch, marks)) or _is_test_case_method(method, classes):
            owner = "::".join(read_field(outer, "name") for outer in reversed(classes))
            tests.add(_parse_test(method, f"{owner}::{read_field(method, 'name')}", marks))
    for declaration in (node for kind in sorted(_CLASSES) for node in root.find_all(kind=kind)):
        name = read_field(declaration, "name")
        tests.skips.update(f"{name}::@{mark}" for mark, _ in _find_annotations(declaration) if _SKIP.fullmatch(mark))
    return tests


def _parse_test(method: SgNode, name: str, marks: dict[str, str]) -> ParsedTest:
    calls = [read_field(call, "name") for call in method.find_all(kind="method_invocation")]
    thrown = [*method.find_all(kind="assert_statement"), *_find_thrown_errors(method)]
    skips = Counter(f"@{mark}" for mark in marks if _SKIP.fullmatch(mark))
    skips.update(match[0] for text in marks.values() if (match := _OFF.search(text)))
    skips.update(filter(_ASSUMPTION.fullmatch, calls))
    return ParsedTest(
        name,
        assertions=sum(bool(_CHECK.fullmatch(call)) for call in calls) + len(thrown),
        skips=skips,
        parameters=sum(_count_parameters(mark) for mark in method.find_all(kind="annotation")),
        is_empty=ends_at_once(method.field("body")),
    )


def _find_thrown_errors(method: SgNode) -> Iterator[SgNode]:
    for thrown in method.find_all(kind="throw_statement"):
        if "AssertionError" in thrown.text():
            yield thrown


def _is_test_case_method(method: SgNode, classes: list[SgNode]) -> bool:
    above = classes[0].field("superclass") if classes else None
    return above is not None and above.text().endswith("TestCase") and read_field(method, "name").startswith("test")


def _find_annotations(node: SgNode) -> Iterator[tuple[str, str]]:
    """Yield name and arguments of each annotation."""
    for modifiers in (child for child in node.children() if child.kind() == "modifiers"):
        for mark in modifiers.children():
            if mark.kind() in ("annotation", "marker_annotation"):
                yield read_field(mark, "name"), read_field(mark, "arguments")


def _count_parameters(mark: SgNode) -> int:
    values = mark.find_all(kind="element_value_array_initializer")
    return sum(child.is_named() for value in values for child in value.children())


READERS = {".java": lambda text, _lines: read_tree(text, "java", read)}
