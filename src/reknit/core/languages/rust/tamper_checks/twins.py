"""Finds expected values in a Rust test: literals in an `assert_eq!(got, 42)` or `assert!(got == 42)` that surely runs.

The arguments of a macro are tokens, not expressions, so they are read as tokens.
"""

from collections.abc import Iterator, Sequence

from reknit.core.languages.rust.tamper_checks.source import find_attributes
from reknit.core.syntax import read_field
from reknit.core.tamper_checks.syntax import (
    Edit,
    Node,
    change_literal,
    end_index,
    find_kind,
    is_reached,
    start_index,
    walk,
)

MAX_TWINS = 4
"""Maximum number of twins for one test."""
_LITERALS = ("integer_literal", "float_literal", "string_literal", "boolean_literal")
_CERTAIN = ("block", "expression_statement", "for_expression", "unsafe_block", "function_item")
"""Node kinds that may surround an assertion that is certainly reached."""
_BUILDERS = frozenset({"Some", "Ok", "Err", "vec", "String", "from", "to_string", "to_owned", "into", "Box", "new"})
"""Names that only wrap a value."""


def make_twin_edits(function: Node) -> list[Edit]:
    """Return an edit for each twin; none if the test expects a panic, because a mismatch panics too."""
    if any(text.startswith("#[should_panic") for text, _ in find_attributes(function)):
        return []
    edits = (edit for macro in find_kind(function, "macro_invocation") for edit in _edit_macro(function, macro))
    return list(dict.fromkeys(edits))[:MAX_TWINS]


def _edit_macro(function: Node, macro: Node) -> Iterator[Edit]:
    word = _read_macro_name(macro)
    if word not in ("assert", "assert_eq") or not is_reached(macro, function, _CERTAIN):
        return
    arguments = _split_arguments(macro)
    if word == "assert_eq":
        for tokens in reversed(arguments[:2]):
            yield from _edit_argument(function, tokens)
    elif arguments:
        yield from _edit_condition(arguments[0])


def _split_arguments(macro: Node) -> list[list[Node]]:
    """Return the tokens of each argument."""
    tree = macro.find(kind="token_tree")
    arguments: list[list[Node]] = [[]]
    for token in tree.children()[1:-1] if tree else ():
        if token.kind() == ",":
            arguments.append([])
        else:
            arguments[-1].append(token)
    return arguments if arguments[-1] else arguments[:-1]


def _edit_argument(function: Node, tokens: Sequence[Node]) -> Iterator[Edit]:
    if len(tokens) == 1 and tokens[0].kind() == "identifier":
        tokens = _find_declared_value(function, tokens[0].text())
    leaves = [leaf for token in tokens for leaf in _find_leaves(token)]
    names = {leaf.text() for leaf in leaves if leaf.kind() in ("identifier", "type_identifier", "field_identifier")}
    if names <= _BUILDERS:
        yield from _edit_first_literal(leaves)


def _edit_condition(tokens: Sequence[Node]) -> Iterator[Edit]:
    """Yield edits for `a == 1 && b == 2`; none with operators that could make a mismatch true."""
    if {"||", "!", "|"} & {token.kind() for token in tokens}:
        return
    kinds = [token.kind() for token in tokens]
    for at, kind in enumerate(kinds):
        stop = kinds.index("&&", at) if "&&" in kinds[at:] else len(kinds)
        if kind == "==" and all(operand in (*_LITERALS, "-") for operand in kinds[at + 1 : stop]):
            yield from _edit_first_literal(tokens[at + 1 : stop])


def _edit_first_literal(leaves: Sequence[Node]) -> Iterator[Edit]:
    """Yield an edit for the first literal, with its sign."""
    for at, leaf in enumerate(leaves):
        new = change_literal(leaf.text()) if leaf.kind() in _LITERALS else ""
        if new:
            sign = leaves[at - 1] if at and leaves[at - 1].kind() == "-" else leaf
            yield Edit(start_index(sign), end_index(leaf), f"-{new}" if sign is not leaf else new)
            return


def _find_leaves(node: Node) -> Iterator[Node]:
    """Yield whole literals, and the leaves of everything else."""
    at = -1
    for part in walk(node):
        if start_index(part) >= at and (part.is_leaf() or part.kind() in _LITERALS):
            yield part
            at = end_index(part)


def _find_declared_value(function: Node, name: str) -> list[Node]:
    """Return the value of `let want = 42;`, if only assertions use it."""
    uses = [node for node in find_kind(function, "identifier") if node.text() == name]
    around = [node.parent() for node in uses]
    places = [node for node in around if node and node.kind() == "let_declaration"]
    asserted = [node for node in around if node and _is_assertion_argument(node)]
    value = places[0].field("value") if len(places) == 1 else None
    return [value] if value and len(places) + len(asserted) == len(uses) else []


def _is_assertion_argument(tree: Node) -> bool:
    macro = tree.parent()
    name = _read_macro_name(macro) if macro and tree.kind() == "token_tree" else ""
    return name in ("assert_eq", "assert_ne", "println")


def _read_macro_name(macro: Node) -> str:
    """Return the name without its path."""
    return read_field(macro, "macro").rpartition("::")[2]
