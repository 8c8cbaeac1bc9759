"""Finds expected values in a Java test: literals in `assertEquals(42, got)` and `assertThat(got).isEqualTo(42)`."""

from collections.abc import Iterator, Sequence

from reknit.core.languages.java.tamper_checks.source import JavaTarget, find_calls
from reknit.core.syntax import read_field
from reknit.core.tamper_checks.syntax import Edit, Node, change_literal, find_kind, is_reached, replace_node

MAX_TWINS = 4
"""Maximum number of twins for one test."""
_LITERALS = ("decimal_integer_literal", "decimal_floating_point_literal", "string_literal", "true", "false")
_CERTAIN = ("block", "expression_statement", "for_statement", "enhanced_for_statement", "method_declaration")
"""Node kinds that may surround an assertion that is certainly reached."""
_LISTS = ("List.of", "Set.of", "Arrays.asList", "Optional.of", "Collections.singletonList")


def make_twin_edits(target: JavaTarget) -> list[Edit]:
    """Return an edit for each twin."""
    edits: dict[Edit, None] = {}
    for name, call, arguments in find_calls(target.method):
        if not is_reached(call, target.method, _CERTAIN):
            continue
        for expected in _find_expected(name, call, arguments, is_junit_4=target.test_class.is_junit_4):
            edit = _change_value(expected)
            if edit:
                edits[edit] = None
    return list(edits)[:MAX_TWINS]


def _find_expected(name: str, call: Node, arguments: Sequence[Node], *, is_junit_4: bool) -> Iterator[Node]:
    if name == "assertEquals":
        both = _find_compared(arguments, is_junit_4=is_junit_4)
        if len([node for node in both if node.kind() == "object_creation_expression"]) < 2:
            yield from both
    elif name in ("isEqualTo", "containsExactly") and _follows_assert_that(call):
        yield from arguments[:1]
    elif name == "assertThat" and len(arguments) == 2:
        yield from (
            arguments[0] for word, _, arguments in find_calls(arguments[1]) if word in ("is", "equalTo") and arguments
        )


def _find_compared(arguments: Sequence[Node], *, is_junit_4: bool) -> Sequence[Node]:
    """Return the compared values without the message, which is first in JUnit 4.

    With a number in the third place, near values are equal, so there are none.
    """
    if len(arguments) == 2:
        return arguments
    message = arguments[0] if is_junit_4 else arguments[-1] if arguments else None
    if len(arguments) != 3 or message is None or message.kind() != "string_literal":
        return ()
    return arguments[1:] if is_junit_4 else arguments[:2]


def _follows_assert_that(call: Node) -> bool:
    """Return True directly after `assertThat(got)`: nothing between may change the compared value."""
    on = call.field("object")
    return on is not None and read_field(on, "name") == "assertThat"


def _change_value(node: Node) -> Edit | None:
    if node.kind() in _LITERALS or node.kind() == "unary_expression":
        new = change_literal(node.text())
        return replace_node(node, new) if new and not node.text().startswith('"""') else None
    if node.kind() == "object_creation_expression" or node.text().partition("(")[0] in _LISTS:
        inside = (literal for literal in find_kind(node, *_LITERALS) if change_literal(literal.text()))
        leaf = next(inside, None)
        return replace_node(leaf, change_literal(leaf.text())) if leaf else None
    return None
