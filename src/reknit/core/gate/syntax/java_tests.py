"""The tests of one Java file: annotated methods, and those of a JUnit 3 `TestCase`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reknit.core.gate.syntax.found_tests import FoundTest, FoundTests
from reknit.core.gate.syntax.trees import ends_at_once

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_TEST = re.compile(r"(?:\w+\.)*(?:\w*Test|TestFactory|TestTemplate|Property|Theory)")
_SKIP = re.compile(r"(?:\w+\.)*(?:Disabled|Enabled|Ignore)\w*")
_OFF = re.compile(r"\benabled\s*=\s*false\b|\bexpected(?:Exceptions)?\s*=")
_CHECK = re.compile(r"(?:assert|verify|fail|expect)\w*")
_ASSUMPTION = re.compile(r"assum\w*|abort")
_CLASSES = frozenset({"class_declaration", "record_declaration", "interface_declaration"})


def read(root: SgNode) -> FoundTests:
    found = FoundTests()
    for method in root.find_all(kind="method_declaration"):
        classes = [outer for outer in method.ancestors() if outer.kind() in _CLASSES]
        marks = dict(_annotations(method))
        if any(map(_TEST.fullmatch, marks)) or _is_of_test_case(method, classes):
            owner = "::".join(map(_name, reversed(classes)))
            found.add(_test(method, f"{owner}::{_name(method)}", marks))
    for each in (node for kind in sorted(_CLASSES) for node in root.find_all(kind=kind)):
        found.skips.update(f"{_name(each)}::@{mark}" for mark, _ in _annotations(each) if _SKIP.fullmatch(mark))
    return found


def _test(method: SgNode, name: str, marks: dict[str, str]) -> FoundTest:
    calls = [_name(call) for call in method.find_all(kind="method_invocation")]
    thrown = [*method.find_all(kind="assert_statement"), *_errors(method)]
    skips = Counter(f"@{mark}" for mark in marks if _SKIP.fullmatch(mark))
    skips.update(match[0] for text in marks.values() if (match := _OFF.search(text)))
    skips.update(filter(_ASSUMPTION.fullmatch, calls))
    return FoundTest(
        name,
        assertions=sum(bool(_CHECK.fullmatch(call)) for call in calls) + len(thrown),
        skips=skips,
        parameters=sum(_parameters(mark) for mark in method.find_all(kind="annotation")),
        is_empty=ends_at_once(method.field("body")),
    )


def _errors(method: SgNode) -> Iterator[SgNode]:
    for thrown in method.find_all(kind="throw_statement"):
        if "AssertionError" in thrown.text():
            yield thrown


def _is_of_test_case(method: SgNode, classes: list[SgNode]) -> bool:
    above = classes[0].field("superclass") if classes else None
    return above is not None and above.text().endswith("TestCase") and _name(method).startswith("test")


def _annotations(node: SgNode) -> Iterator[tuple[str, str]]:
    """Name and arguments."""
    for modifiers in (child for child in node.children() if child.kind() == "modifiers"):
        for mark in modifiers.children():
            if mark.kind() in ("annotation", "marker_annotation"):
                arguments = mark.field("arguments")
                yield _name(mark), arguments.text() if arguments else ""


def _parameters(mark: SgNode) -> int:
    values = mark.find_all(kind="element_value_array_initializer")
    return sum(child.is_named() for value in values for child in value.children())


def _name(node: SgNode) -> str:
    name = node.field("name")
    return name.text() if name else ""
