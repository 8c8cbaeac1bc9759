"""Edits program texts by position, and changes the values of literals."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ast_grep_py import SgNode

Node = SgNode
_WHOLE_NUMBER = re.compile(r"(\d[\d_]{0,30})([uifIUFlLnzs]\w{0,8})?")
_DECIMAL_NUMBER = re.compile(r"(\d[\d_]{0,30})\.(\d[\d_]{0,30})?([fFdD]\w{0,8})?")
_OPPOSITES = {"true": "false", "false": "true"}


class Edit(NamedTuple):
    """Replacement of the characters `start` to `end` of a text by `new`."""

    start: int
    end: int
    new: str


def is_fully_parsed(root: Node) -> bool:
    """Return True if all of the text could be parsed."""
    return root.kind() != "ERROR" and root.find(kind="ERROR") is None


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and everything below it, in the order of the text."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children())


def find_kind(node: Node, *kinds: str) -> Iterator[Node]:
    """Yield the nodes of these kinds."""
    return (part for part in walk(node) if part.kind() in kinds)


def start_index(node: Node) -> int:
    """Return the position of the node's first character."""
    return node.range().start.index


def end_index(node: Node) -> int:
    """Return the position after the node's last character."""
    return node.range().end.index


def is_reached(node: Node, function: Node, certain: Collection[str]) -> bool:
    """Return True if all nodes between the function and the node are of kinds that certainly run."""
    around = [outer for outer in node.ancestors() if start_index(outer) > start_index(function)]
    return all(outer.kind() in certain for outer in around)


def replace_node(node: Node, new: str) -> Edit:
    """Return the edit that replaces the node by this text."""
    return Edit(start_index(node), end_index(node), new)


def apply_edits(text: str, edits: Iterable[Edit], *, offset: int = 0) -> str:
    """Return the text with all edits, which must not overlap. `offset`: position of the text in its file."""
    parts, at = [], 0
    for edit in sorted(edits):
        parts += [text[at : edit.start - offset], edit.new]
        at = edit.end - offset
    return "".join((*parts, text[at:]))


def copy_function(function: Node, edits: Iterable[Edit], name: str) -> str:
    """Return the text of the function with another name and the edits, whose positions are those in the file."""
    own_name = function.field("name")
    renamed = (replace_node(own_name, name),) if own_name else ()
    return apply_edits(function.text(), (*edits, *renamed), offset=start_index(function))


def change_literal(literal: str) -> str:
    """Return a literal of the same type with a distant value; empty if the text is not such a literal.

    A number still fits into the smallest type that it could have, and rounding cannot make both equal.
    """
    if literal in _OPPOSITES:
        return _OPPOSITES[literal]
    if literal[:1] == "-":
        number = change_literal(literal[1:]) if literal[1:2].isdigit() else ""
        return f"-{number}" if number else ""
    if match := _WHOLE_NUMBER.fullmatch(literal):
        return _change_digits(match[1]) + (match[2] or "") if match[1] == "0" or match[1][0] != "0" else ""
    if match := _DECIMAL_NUMBER.fullmatch(literal):
        return f"{_change_digits(match[1])}.{match[2] or '0'}{match[3] or ''}"
    if literal[:1] in ('"', "`") and len(literal) > 1 and literal[-1] == literal[0]:
        return f"{literal[0]}another {literal[1:]}"
    return ""


def _change_digits(digits: str) -> str:
    number = int(digits.replace("_", ""))
    return str(number + 61 if number < 64 else number // 2 - 3)
