"""Syntax trees of program texts, and edits by their positions."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ast_grep_py import SgNode, SgRoot

Language = Literal["go", "rust", "java", "javascript", "typescript", "tsx"]
Node = SgNode


class Edit(NamedTuple):
    """Characters `start` to `end` of a text become `new`."""

    start: int
    end: int
    new: str


def parse(text: str, language: Language) -> Node:
    """Never fails: what cannot be parsed is a node of the kind `ERROR`."""
    return SgRoot(text, language).root()


def is_whole(root: Node) -> bool:
    """Whether all of the text could be parsed."""
    return root.kind() != "ERROR" and root.find(kind="ERROR") is None


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in the order of the text."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children())


def of_kind(node: Node, *kinds: str) -> Iterator[Node]:
    return (each for each in walk(node) if each.kind() in kinds)


def start(node: Node) -> int:
    return node.range().start.index


def end(node: Node) -> int:
    return node.range().end.index


def replaced(node: Node, new: str) -> Edit:
    return Edit(start(node), end(node), new)


def edited(text: str, edits: Iterable[Edit], *, offset: int = 0) -> str:
    """The text with all edits, which must not overlap. `offset`: where the text begins in that of the positions."""
    parts, at = [], 0
    for edit in sorted(edits):
        parts += [text[at : edit.start - offset], edit.new]
        at = edit.end - offset
    return "".join((*parts, text[at:]))
