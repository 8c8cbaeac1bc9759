"""Reads syntax trees of languages other than Python, and finds the lines that a change touches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from reknit.core.repository.change import FileChange

if TYPE_CHECKING:
    from ast_grep_py import SgNode

Syntax = Literal[
    "c", "cpp", "csharp", "css", "go", "java", "javascript", "kotlin", "php", "ruby", "rust", "scala", "swift", "tsx",
    "typescript",
]  # fmt: skip
MAX_CHAIN_LINKS = 40
"""Maximum number of links of `a.b.c` that are read; no name of interest is longer."""
_MEMBERS = {
    "member_expression": ("object", "property"),
    "selector_expression": ("operand", "field"),
    "call_expression": ("function", ""),
    "method_invocation": ("object", "name"),
}
LARGEST_COMPARISON = 1_000_000
"""Maximum of lines before times lines after; above it lines are compared as a multiset, for speed."""
LARGE = 300_000
"""Length in characters; of a file at least this long, only the changed lines are read."""


@lru_cache(maxsize=4)  # several rules read the same file; a tree is too large to keep more
def parse_tree(text: str, syntax: Syntax) -> SgNode:
    """Return the root of the text's tree. Never fails: unparsable parts are nodes of the kind `ERROR`."""
    from ast_grep_py import SgRoot  # late, because commands that judge no change start faster without it

    return SgRoot(text, syntax).root()


def read_field(node: SgNode, field: str) -> str:
    """Return the text of a node's field; empty if the node has no such field."""
    value = node.field(field)
    return value.text() if value else ""


def split_dotted_name(node: SgNode | None) -> tuple[str, ...]:
    """Return `("a", "b", "c")` for `a.b().c`; empty if it begins with anything but a name."""
    parts: list[str] = []
    for _step in range(MAX_CHAIN_LINKS):
        if node is None or node.kind() not in _MEMBERS:
            break
        inner, name = _MEMBERS[node.kind()]
        member = node.field(name) if name else None
        if member is not None:
            parts.append(member.text())
        node = node.field(inner)
    if node is None or node.kind() in ("identifier", "this"):
        return (*([node.text()] if node else []), *reversed(parts))
    return ()


def list_statements(body: SgNode | None) -> Iterator[SgNode]:
    """Yield the statements of a block, without comments."""
    for child in body.children() if body else ():
        if child.kind() == "statement_list":
            yield from list_statements(child)
        elif child.is_named() and "comment" not in child.kind():
            yield child


def ends_at_once(body: SgNode | None) -> bool:
    """Return True if the block has no statement, or begins with a `return`."""
    first = next(list_statements(body), None)
    return first is None or first.kind() == "return_statement"


@dataclass(frozen=True)
class LineDiff:
    """Lines that a change adds and removes."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


@lru_cache(maxsize=64)  # most rules need it
def diff_lines(file: FileChange) -> LineDiff:
    """Return the lines that a change adds to the file and removes from it."""
    before, after = _split_lines(file.text_before), _split_lines(file.text_after)
    start = _count_common_start(before, after)
    before, after = before[start:], after[start:]
    end = _count_common_start(before[::-1], after[::-1])
    before, after = before[: len(before) - end], after[: len(after) - end]
    if len(before) * len(after) > LARGEST_COMPARISON:
        return LineDiff(
            tuple((Counter(after) - Counter(before)).elements()), tuple((Counter(before) - Counter(after)).elements())
        )
    added: list[str] = []
    removed: list[str] = []
    for word, b1, b2, a1, a2 in SequenceMatcher(None, before, after).get_opcodes():
        if word != "equal":
            removed += before[b1:b2]
            added += after[a1:a2]
    return LineDiff(tuple(added), tuple(removed))


def find_changed_lines(before: str, after: str) -> tuple[range, range] | None:
    """Return the line ranges in both texts, from the first to the last difference; None: read all."""
    if max(len(before), len(after)) < LARGE or "\r" in before or "\r" in after:
        return None  # for Python a carriage return ends a line too
    old, new = before.split("\n"), after.split("\n")
    start = _count_common_start(old, new)
    end = _count_common_start(old[start:][::-1], new[start:][::-1])
    # One extra line at both ends: if lines were only removed, their neighbours represent them.
    return range(start, len(old) - end + 2), range(start, len(new) - end + 2)


def _split_lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _count_common_start(first: Sequence[str], second: Sequence[str]) -> int:
    for number, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return number
    return min(len(first), len(second))


@dataclass(frozen=True)
class ParsedTest:
    """A test in a syntax tree."""

    name: str
    """Name with the classes or suites around it: `TestX::test_b`."""
    assertions: int
    skips: Counter[str]
    parameters: int
    """Number of literal parameter sets, as in `parametrize`, `it.each` or a table of cases."""
    is_empty: bool
    """True if it ends before it can check anything."""
    definitions: int = 1


@dataclass(frozen=True)
class ParsedTests:
    """The tests of one file."""

    tests: dict[str, ParsedTest] = field(default_factory=dict)
    skips: Counter[str] = field(default_factory=Counter)
    """Skips outside a test, in the file (`pytest.skip`) or in a class (`TestX::pytest.mark.skip`)."""

    def add(self, test: ParsedTest) -> None:
        """Add a test. A second one of the same name is counted with the first, which it hides in most languages."""
        earlier = self.tests.get(test.name)
        definitions = earlier.definitions + 1 if earlier else 1
        self.tests[test.name] = ParsedTest(
            test.name, test.assertions, test.skips, test.parameters, test.is_empty, definitions
        )


# Without such a word there is no test, and no tree is built.
_TEST_IN_A_TREE = re.compile(
    r"\b(?:it|test|specify|fit|xit|xtest)\b|\bfunc\s+(?:Test|Fuzz|Example)|@\w*Test|TestCase|@Property|@Theory"
)


def read_tree(text: str, syntax: Syntax, read: Callable[[SgNode], ParsedTests]) -> ParsedTests:
    """Return the tests in the text's tree; no tree is built if no word of the text can begin a test."""
    return read(parse_tree(text, syntax)) if _TEST_IN_A_TREE.search(text) else ParsedTests()
