"""Finds the tests of a Go file."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from reknit.core.syntax import ParsedTest, ParsedTests, ends_at_once, read_tree, split_dotted_name

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_NAME = re.compile(r"(?:Test|Fuzz|Example)(?![a-z])\w*")
_FAILS = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"})
_SKIPS = frozenset({"Skip", "Skipf", "SkipNow"})
_ASSERTING = ("assert", "require", "expect", "must")
_TABLES = frozenset({"slice_type", "array_type", "map_type", "implicit_length_array_type"})
_BUILD = re.compile(r"//\s*(?:go:build|\+build)\s")


def read(root: SgNode) -> ParsedTests:
    """Return the tests of a file, with their assertions and skips."""
    tests = ParsedTests()
    for function in root.find_all(kind="function_declaration"):
        name = function.field("name")
        if name is not None and _NAME.fullmatch(name.text()):
            tests.add(_parse_test(function, name.text()))
    tests.skips.update(comment.text() for comment in root.children() if _BUILD.match(comment.text()))
    return tests


def _parse_test(function: SgNode, name: str) -> ParsedTest:
    calls = [split_dotted_name(call) for call in function.find_all(kind="call_expression")]
    return ParsedTest(
        name,
        assertions=sum(map(_is_assertion, calls)),
        skips=Counter(".".join(call) for call in calls if call and call[-1] in _SKIPS),
        parameters=sum(map(_count_rows, function.find_all(kind="composite_literal"))),
        is_empty=ends_at_once(function.field("body")),
    )


def _is_assertion(words: tuple[str, ...]) -> bool:
    return bool(words) and (words[-1] in _FAILS or words[0].lower().startswith(_ASSERTING))


def _count_rows(literal: SgNode) -> int:
    kind, rows = literal.field("type"), literal.field("body")
    if kind is None or rows is None or kind.kind() not in _TABLES:
        return 0
    return sum(row.is_named() for row in rows.children())


READERS = {".go": lambda text, _lines: read_tree(text, "go", read)}
