"""Finds where a test compares a value with a literal, and writes another literal far from it.

Only a comparison that certainly takes place is used: a statement of the test's own body, not one in a branch, a loop,
a callback or a `try`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reknit.core.tamper_checks.javascript.registered_tests import arguments_of, literal_text
from reknit.core.tamper_checks.syntax import Edit, Node, end, replaced, start

_ASSERTS = frozenset({"equal", "strictEqual", "deepEqual", "deepStrictEqual"})
_OBJECTS = re.compile(r"(?:chai\.|t\.)?assert(?:\.strict)?")
_MATCHERS = frozenset({"toBe", "toEqual", "toStrictEqual", "toHaveLength"})
_CHAI = frozenset({"equal", "equals", "eq", "eql", "eqls", "lengthOf"})
_CHAI_WORDS = frozenset({"to", "be", "have", "deep", "is", "that"})
_INTEGER = re.compile(r"[0-9]{1,15}")
_DECIMAL = re.compile(r"[0-9]{1,15}\.[0-9]{1,15}")
_LEAVES = ("return_statement", "throw_statement")
_OPAQUE = ("arrow_function", "function_expression", "function_declaration", "class_declaration")


class Comparison(NamedTuple):
    form: str
    """The same comparison of other values: `assert.equal({0}, {1})`."""
    expected: Node


def comparisons(body: Node) -> Iterator[Comparison]:
    """Those of a test's body that certainly take place."""
    if body.kind() != "statement_block":
        yield from _of_expression(body, is_awaited=True)
        return
    for statement in body.named_children():
        if statement.kind() in ("expression_statement", "return_statement"):
            inside = statement.named_children()
            is_returned = statement.kind() == "return_statement"
            yield from _of_expression(inside[0], is_awaited=is_returned) if inside else ()
        if _may_leave(statement):
            return


def _may_leave(node: Node) -> bool:
    """Whether what follows may never be reached."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.kind() in _LEAVES:
            return True
        waiting += [each for each in node.children() if each.kind() not in _OPAQUE]
    return False


def _of_expression(node: Node, *, is_awaited: bool) -> Iterator[Comparison]:
    if node.kind() == "await_expression":
        node, is_awaited = node.named_children()[0], True
    function = node.field("function") if node.kind() == "call_expression" else None
    if function is None:
        return
    given = arguments_of(node)
    if function.kind() == "member_expression":
        named, owner = function.field("property"), function.field("object")
        name, place = (named.text() if named else ""), (owner.text() if owner else "")
        if name in _ASSERTS and _OBJECTS.fullmatch(place):
            yield from _between(f"{place}.{name}({{0}}, {{1}})", given)
        else:
            yield from _of_chain(owner, name, given, is_awaited=is_awaited)
    elif function.text() in _ASSERTS - {"equal"}:
        yield from _between(f"{function.text()}({{0}}, {{1}})", given)


def _between(form: str, given: Sequence[Node]) -> Iterator[Comparison]:
    """What is written down is expected, what is computed is looked at."""
    literals = [node for node in given[:2] if is_literal(node)]
    if len(given) >= 2 and len(literals) == 1:
        yield Comparison(form, literals[0])


def _of_chain(owner: Node | None, name: str, given: Sequence[Node], *, is_awaited: bool) -> Iterator[Comparison]:
    words: list[str] = []
    at = owner
    while at is not None and at.kind() == "member_expression":
        named = at.field("property")
        words.insert(0, named.text() if named else "")
        at = at.field("object")
    if at is None or len(given) != 1 or not is_literal(given[0]):
        return
    if at.kind() == "call_expression" and _is_expect(at):
        if name in _MATCHERS and (not words or (words == ["resolves"] and is_awaited)):
            equal = "toBe" if name == "toHaveLength" else name
            yield Comparison(f"expect({{0}}).{equal}({{1}})", given[0])
        elif name in _CHAI and words[:1] == ["to"] and _CHAI_WORDS.issuperset(words):
            yield Comparison("expect({0}).to.equal({1})", given[0])
    elif "should" in words and name in _CHAI and _CHAI_WORDS.issuperset(words[words.index("should") + 1 :]):
        yield Comparison("({0}).should.equal({1})", given[0])


def _is_expect(call: Node) -> bool:
    function, given = call.field("function"), arguments_of(call)
    return bool(function and function.text() == "expect" and given and not is_literal(given[0]))


def is_literal(node: Node) -> bool:
    """A value that is written down, all of it."""
    kind = node.kind()
    if kind in ("number", "true", "false", "null"):
        return True
    if kind in ("string", "template_string"):
        return literal_text(node) is not None
    if kind == "unary_expression":
        return node.text()[:1] == "-" and node.named_children()[0].kind() == "number"
    if kind == "array":
        return all(is_literal(each) for each in node.named_children())
    if kind != "object":
        return False
    values = [each.field("value") if each.kind() == "pair" else None for each in node.named_children()]
    return all(value is not None and is_literal(value) for value in values)


def far_change(literal: Node, word: str) -> Edit | None:
    """The literal becomes another one; in an array or an object, its first value."""
    kind, text = literal.kind(), literal.text()
    if kind in ("array", "object"):
        return _far_inside(literal, word)
    if kind in ("true", "false"):
        return replaced(literal, "false" if kind == "true" else "true")
    if kind == "null":
        return replaced(literal, "1009")
    if kind in ("string", "template_string"):
        at = end(literal) - 1
        return Edit(at, at, f" {word}")
    sign, digits = text[:1] == "-", text.removeprefix("-").strip()
    if _INTEGER.fullmatch(digits):
        return replaced(literal, str((-1 if sign else 1) * int(digits) * 3 + 1009))
    if _DECIMAL.fullmatch(digits):
        return replaced(literal, repr((-1 if sign else 1) * float(digits) * 3 + 1009.5))
    return None


def _far_inside(literal: Node, word: str) -> Edit | None:
    inside = literal.named_children()
    if not inside:
        at = start(literal) + 1
        return Edit(at, at, "1009" if literal.kind() == "array" else f"{word}: 1009")
    first = inside[0] if literal.kind() == "array" else inside[0].field("value")
    return far_change(first, word) if first else None
