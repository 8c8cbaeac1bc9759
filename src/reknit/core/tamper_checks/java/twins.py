"""Expected values in a Java test: literals in `assertEquals(42, got)` and `assertThat(got).isEqualTo(42)`."""

from collections.abc import Iterator, Sequence

from reknit.core.tamper_checks.far_literals import far
from reknit.core.tamper_checks.java.source import JavaTarget, calls
from reknit.core.tamper_checks.syntax import Edit, Node, of_kind, replaced, start

MOST = 4
"""Twins of one test."""
_LITERALS = ("decimal_integer_literal", "decimal_floating_point_literal", "string_literal", "true", "false")
_CERTAIN = ("block", "expression_statement", "for_statement", "enhanced_for_statement", "method_declaration")
"""What may be around an assertion for it to be reached."""
_LISTS = ("List.of", "Set.of", "Arrays.asList", "Optional.of", "Collections.singletonList")


def far_edits(target: JavaTarget) -> list[Edit]:
    """One for each twin."""
    found: dict[Edit, None] = {}
    for name, call, given in calls(target.method):
        if not _is_reached(call, target.method):
            continue
        for expected in _expected(name, call, given, is_junit_4=target.of.is_junit_4):
            edit = _changed(expected)
            if edit:
                found[edit] = None
    return list(found)[:MOST]


def _is_reached(call: Node, method: Node) -> bool:
    around = [node for node in call.ancestors() if start(node) > start(method)]
    return all(node.kind() in _CERTAIN for node in around)


def _expected(name: str, call: Node, given: Sequence[Node], *, is_junit_4: bool) -> Iterator[Node]:
    if name == "assertEquals":
        both = _compared(given, is_junit_4=is_junit_4)
        if len([node for node in both if node.kind() == "object_creation_expression"]) < 2:
            yield from both
    elif name in ("isEqualTo", "containsExactly") and _is_of_assertion(call):
        yield from given[:1]
    elif name == "assertThat" and len(given) == 2:
        yield from (arguments[0] for word, _, arguments in calls(given[1]) if word in ("is", "equalTo") and arguments)


def _compared(given: Sequence[Node], *, is_junit_4: bool) -> Sequence[Node]:
    """Without the message, which JUnit 4 has first; with a number in the third place, near values are equal."""
    if len(given) == 2:
        return given
    message = given[0] if is_junit_4 else given[-1] if given else None
    if len(given) != 3 or message is None or message.kind() != "string_literal":
        return ()
    return given[1:] if is_junit_4 else given[:2]


def _is_of_assertion(call: Node) -> bool:
    """Directly: `assertThat(got).isEqualTo(3)`, with nothing between that could change what is compared."""
    on = call.field("object")
    name = on.field("name") if on else None
    return name is not None and name.text() == "assertThat"


def _changed(node: Node) -> Edit | None:
    if node.kind() in _LITERALS or node.kind() == "unary_expression":
        new = far(node.text())
        return replaced(node, new) if new and not node.text().startswith('"""') else None
    if node.kind() == "object_creation_expression" or node.text().partition("(")[0] in _LISTS:
        inside = (each for each in of_kind(node, *_LITERALS) if far(each.text()))
        leaf = next(inside, None)
        return replaced(leaf, far(leaf.text())) if leaf else None
    return None
