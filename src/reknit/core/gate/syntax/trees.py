"""Syntax trees of languages other than Python."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ast_grep_py import SgNode

Language = Literal[
    "c", "cpp", "csharp", "css", "go", "java", "javascript", "kotlin", "php", "ruby", "rust", "scala", "swift", "tsx",
    "typescript",
]  # fmt: skip
LONGEST_CHAIN = 40
"""Links of `a.b.c`; no name of interest is longer."""
_MEMBERS = {
    "member_expression": ("object", "property"),
    "selector_expression": ("operand", "field"),
    "call_expression": ("function", ""),
    "method_invocation": ("object", "name"),
}


@lru_cache(maxsize=4)  # several rules read the same file; a tree is too large to keep more
def tree_of(text: str, language: Language) -> SgNode:
    """Never fails: what cannot be parsed is a node of the kind `ERROR`."""
    from ast_grep_py import SgRoot  # late: a command that judges no change starts without it

    return SgRoot(text, language).root()


def dotted(node: SgNode | None) -> tuple[str, ...]:
    """`("a", "b", "c")` for `a.b().c`; empty if it begins with anything but a name."""
    parts: list[str] = []
    for _step in range(LONGEST_CHAIN):
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


def statements(body: SgNode | None) -> Iterator[SgNode]:
    """The statements of a block, without comments."""
    for child in body.children() if body else ():
        if child.kind() == "statement_list":
            yield from statements(child)
        elif child.is_named() and "comment" not in child.kind():
            yield child


def ends_at_once(body: SgNode | None) -> bool:
    """It has no statement, or the first one leaves it."""
    first = next(statements(body), None)
    return first is None or first.kind() == "return_statement"
