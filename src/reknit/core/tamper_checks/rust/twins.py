"""Expected values in a Rust test: literals in `assert_eq!(got, 42)` and `assert!(got == 42)` that are certain to count.

The arguments of a macro are tokens, not expressions, so they are read as tokens.
"""

from collections.abc import Iterator, Sequence

from reknit.core.tamper_checks.far_literals import far
from reknit.core.tamper_checks.rust.source import attributes
from reknit.core.tamper_checks.syntax import Edit, Node, end, of_kind, start, walk

MOST = 4
"""Twins of one test."""
_LITERALS = ("integer_literal", "float_literal", "string_literal", "boolean_literal")
_CERTAIN = ("block", "expression_statement", "for_expression", "unsafe_block", "function_item")
"""What may be around an assertion for it to be reached."""
_BUILDERS = frozenset({"Some", "Ok", "Err", "vec", "String", "from", "to_string", "to_owned", "into", "Box", "new"})
"""Names that only wrap a value."""


def far_edits(function: Node) -> list[Edit]:
    """One for each twin. None if a panic is what the test expects: then a mismatch is as good."""
    if any(text.startswith("#[should_panic") for text, _ in attributes(function)):
        return []
    found = (edit for macro in of_kind(function, "macro_invocation") for edit in _of_macro(function, macro))
    return list(dict.fromkeys(found))[:MOST]


def _of_macro(function: Node, macro: Node) -> Iterator[Edit]:
    name = macro.field("macro")
    word = name.text().rpartition("::")[2] if name else ""
    if word not in ("assert", "assert_eq") or not _is_reached(macro, function):
        return
    arguments = _arguments(macro)
    if word == "assert_eq":
        for tokens in reversed(arguments[:2]):
            yield from _of_argument(function, tokens)
    elif arguments:
        yield from _of_condition(arguments[0])


def _is_reached(macro: Node, function: Node) -> bool:
    around = [node for node in macro.ancestors() if start(node) > start(function)]
    return all(node.kind() in _CERTAIN for node in around)


def _arguments(macro: Node) -> list[list[Node]]:
    """The tokens of each."""
    tree = macro.find(kind="token_tree")
    arguments: list[list[Node]] = [[]]
    for token in tree.children()[1:-1] if tree else ():
        if token.kind() == ",":
            arguments.append([])
        else:
            arguments[-1].append(token)
    return arguments if arguments[-1] else arguments[:-1]


def _of_argument(function: Node, tokens: Sequence[Node]) -> Iterator[Edit]:
    if len(tokens) == 1 and tokens[0].kind() == "identifier":
        tokens = _declared(function, tokens[0].text())
    leaves = [leaf for token in tokens for leaf in _words(token)]
    names = {leaf.text() for leaf in leaves if leaf.kind() in ("identifier", "type_identifier", "field_identifier")}
    if names <= _BUILDERS:
        yield from _first(leaves)


def _of_condition(tokens: Sequence[Node]) -> Iterator[Edit]:
    """`a == 1 && b == 2`: nothing that would make up for a mismatch."""
    if {"||", "!", "|"} & {token.kind() for token in tokens}:
        return
    kinds = [token.kind() for token in tokens]
    for at, kind in enumerate(kinds):
        stop = kinds.index("&&", at) if "&&" in kinds[at:] else len(kinds)
        if kind == "==" and all(each in (*_LITERALS, "-") for each in kinds[at + 1 : stop]):
            yield from _first(tokens[at + 1 : stop])


def _first(leaves: Sequence[Node]) -> Iterator[Edit]:
    """The first literal, with its sign."""
    for at, leaf in enumerate(leaves):
        new = far(leaf.text()) if leaf.kind() in _LITERALS else ""
        if new:
            sign = leaves[at - 1] if at and leaves[at - 1].kind() == "-" else leaf
            yield Edit(start(sign), end(leaf), f"-{new}" if sign is not leaf else new)
            return


def _words(node: Node) -> Iterator[Node]:
    """Literals whole, and everything else down to its leaves."""
    at = -1
    for each in walk(node):
        if start(each) >= at and (each.is_leaf() or each.kind() in _LITERALS):
            yield each
            at = end(each)


def _declared(function: Node, name: str) -> list[Node]:
    """The value of `let want = 42;`, if it is only ever an argument of assertions."""
    uses = [node for node in of_kind(function, "identifier") if node.text() == name]
    around = [node.parent() for node in uses]
    places = [node for node in around if node and node.kind() == "let_declaration"]
    asserted = [node for node in around if node and _is_of_assertion(node)]
    value = places[0].field("value") if len(places) == 1 else None
    return [value] if value and len(places) + len(asserted) == len(uses) else []


def _is_of_assertion(tree: Node) -> bool:
    macro = tree.parent()
    name = macro.field("macro") if macro and tree.kind() == "token_tree" else None
    return name is not None and name.text().rpartition("::")[2] in ("assert_eq", "assert_ne", "println")
