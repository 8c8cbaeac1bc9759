"""Finds where a test compares a value with a literal, and replaces the literal by a very different one.

Only comparisons that certainly run are used: statements of the test's own body, not those in a branch, a loop, a
callback or a `try`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reknit.core.languages.javascript.tamper_checks.source import find_arguments, read_literal
from reknit.core.syntax import read_field
from reknit.core.tamper_checks.syntax import Edit, Node, end_index, replace_node, start_index

_ASSERTS = frozenset({"equal", "strictEqual", "deepEqual", "deepStrictEqual"})
_OBJECTS = re.compile(r"(?:chai\.|t\.)?assert(?:\.strict)?")
_MATCHERS = frozenset({"toBe", "toEqual", "toStrictEqual", "toHaveLength"})
_CHAI = frozenset({"equal", "equals", "eq", "eql", "eqls", "lengthOf"})
_CHAI_WORDS = frozenset({"to", "be", "have", "deep", "is", "that"})
_INTEGER = re.compile(r"[0-9]{1,15}")
_DECIMAL = re.compile(r"[0-9]{1,15}\.[0-9]{1,15}")
_EXITS = ("return_statement", "throw_statement")
_OPAQUE = ("arrow_function", "function_expression", "function_declaration", "class_declaration")


class Comparison(NamedTuple):
    """A comparison of a value with a literal."""

    form: str
    """Template for the same comparison of other values: `assert.equal({0}, {1})`."""
    expected: Node


def find_comparisons(body: Node) -> Iterator[Comparison]:
    """Yield the comparisons of a test's body that certainly take place."""
    if body.kind() != "statement_block":
        yield from _find_in_expression(body, is_awaited=True)
        return
    for statement in body.named_children():
        if statement.kind() in ("expression_statement", "return_statement"):
            inside = statement.named_children()
            is_returned = statement.kind() == "return_statement"
            yield from _find_in_expression(inside[0], is_awaited=is_returned) if inside else ()
        if _may_leave(statement):
            return


def _may_leave(node: Node) -> bool:
    """Return True if the statements after the node may never run."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.kind() in _EXITS:
            return True
        waiting += [child for child in node.children() if child.kind() not in _OPAQUE]
    return False


def _find_in_expression(node: Node, *, is_awaited: bool) -> Iterator[Comparison]:
    if node.kind() == "await_expression":
        node, is_awaited = node.named_children()[0], True
    function = node.field("function") if node.kind() == "call_expression" else None
    if function is None:
        return
    arguments = find_arguments(node)
    if function.kind() == "member_expression":
        name, place = read_field(function, "property"), read_field(function, "object")
        if name in _ASSERTS and _OBJECTS.fullmatch(place):
            yield from _find_in_arguments(f"{place}.{name}({{0}}, {{1}})", arguments)
        else:
            yield from _find_in_chain(function.field("object"), name, arguments, is_awaited=is_awaited)
    elif function.text() in _ASSERTS - {"equal"}:
        yield from _find_in_arguments(f"{function.text()}({{0}}, {{1}})", arguments)


def _find_in_arguments(form: str, arguments: Sequence[Node]) -> Iterator[Comparison]:
    """Take the literal for the expected value and the other argument for the actual one."""
    literals = [node for node in arguments[:2] if is_literal(node)]
    if len(arguments) >= 2 and len(literals) == 1:
        yield Comparison(form, literals[0])


def _find_in_chain(
    owner: Node | None, name: str, arguments: Sequence[Node], *, is_awaited: bool
) -> Iterator[Comparison]:
    words: list[str] = []
    at = owner
    while at is not None and at.kind() == "member_expression":
        words.insert(0, read_field(at, "property"))
        at = at.field("object")
    if at is None or len(arguments) != 1 or not is_literal(arguments[0]):
        return
    if at.kind() == "call_expression" and _is_expect(at):
        if name in _MATCHERS and (not words or (words == ["resolves"] and is_awaited)):
            equal = "toBe" if name == "toHaveLength" else name
            yield Comparison(f"expect({{0}}).{equal}({{1}})", arguments[0])
        elif name in _CHAI and words[:1] == ["to"] and _CHAI_WORDS.issuperset(words):
            yield Comparison("expect({0}).to.equal({1})", arguments[0])
    elif "should" in words and name in _CHAI and _CHAI_WORDS.issuperset(words[words.index("should") + 1 :]):
        yield Comparison("({0}).should.equal({1})", arguments[0])


def _is_expect(call: Node) -> bool:
    function, arguments = call.field("function"), find_arguments(call)
    return bool(function and function.text() == "expect" and arguments and not is_literal(arguments[0]))


def is_literal(node: Node) -> bool:
    """Return True if the node is a literal, or an array or object of literals only."""
    kind = node.kind()
    if kind in ("number", "true", "false", "null"):
        return True
    if kind in ("string", "template_string"):
        return read_literal(node) is not None
    if kind == "unary_expression":
        return node.text()[:1] == "-" and node.named_children()[0].kind() == "number"
    if kind == "array":
        return all(is_literal(child) for child in node.named_children())
    if kind != "object":
        return False
    values = [child.field("value") if child.kind() == "pair" else None for child in node.named_children()]
    return all(value is not None and is_literal(value) for value in values)


def change_literal(literal: Node, word: str) -> Edit | None:
    """Change the literal; in an array or an object, change its first value."""
    kind, text = literal.kind(), literal.text()
    if kind in ("array", "object"):
        return _change_first_value(literal, word)
    if kind in ("true", "false"):
        return replace_node(literal, "false" if kind == "true" else "true")
    if kind == "null":
        return replace_node(literal, "1009")
    if kind in ("string", "template_string"):
        at = end_index(literal) - 1
        return Edit(at, at, f" {word}")
    sign, digits = text[:1] == "-", text.removeprefix("-").strip()
    if _INTEGER.fullmatch(digits):
        return replace_node(literal, str((-1 if sign else 1) * int(digits) * 3 + 1009))
    if _DECIMAL.fullmatch(digits):
        return replace_node(literal, repr((-1 if sign else 1) * float(digits) * 3 + 1009.5))
    return None


def _change_first_value(literal: Node, word: str) -> Edit | None:
    inside = literal.named_children()
    if not inside:
        at = start_index(literal) + 1
        return Edit(at, at, "1009" if literal.kind() == "array" else f"{word}: 1009")
    first = inside[0] if literal.kind() == "array" else inside[0].field("value")
    return change_literal(first, word) if first else None
