"""The tests in a test file: calls of `it` and `test` with their titles, and the suites around them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reknit.core.tamper_checks.syntax import Node, of_kind

TESTS = frozenset({"it", "test", "specify"})
SUITES = frozenset({"describe", "suite", "context"})
_FORMS = frozenset({"only", "concurrent", "sequential"})
_FUNCTIONS = ("arrow_function", "function_expression", "function")
_ESCAPES = {"\\'": "'", '\\"': '"', "\\`": "`", "\\\\": "\\", "\\n": "\n", "\\t": "\t"}


class RegisteredTest(NamedTuple):
    titles: tuple[str, ...]
    """Of the suites around it, and its own."""
    callee: str
    """`it`, `test.only`, `t.test`."""
    body: Node
    """Of the function that is called: a block, or an expression."""


def registered_tests(root: Node) -> Iterator[RegisteredTest]:
    """Those all of whose titles are in the text."""
    for call in of_kind(root, "call_expression"):
        if not _is_one_of(call, TESTS):
            continue
        body = _body(call)
        titles = titles_of(call)
        if body and titles:
            yield RegisteredTest(titles, _callee(call), body)


def titles_of(call: Node) -> tuple[str, ...]:
    """Empty if one of them is computed."""
    around = [node for node in call.ancestors() if node.kind() == "call_expression"]
    calls = [call, *(node for node in around if _is_one_of(node, TESTS | SUITES))]
    titles = [_title(each) for each in reversed(calls)]
    return tuple(title for title in titles if title is not None) if None not in titles else ()


def enclosing_test(node: Node) -> Node | None:
    """The outermost test that the node is in."""
    around = [each for each in node.ancestors() if each.kind() == "call_expression" and _is_one_of(each, TESTS)]
    return around[-1] if around else None


def arguments_of(call: Node) -> Sequence[Node]:
    given = call.field("arguments")
    return [node for node in given.named_children() if node.kind() != "comment"] if given else []


def literal_text(node: Node) -> str | None:
    """What a string says; None for any other node, and for a string that is computed."""
    if node.kind() not in ("string", "template_string"):
        return None
    parts = [_ESCAPES.get(each.text()) if each.kind() == "escape_sequence" else each.text() for each in _inside(node)]
    known = [part for part in parts if part is not None]
    return "".join(known) if len(known) == len(parts) and not _is_computed(node) else None


def _inside(node: Node) -> Sequence[Node]:
    return [each for each in node.children() if each.kind() in ("string_fragment", "escape_sequence")]


def _is_computed(node: Node) -> bool:
    return any(each.kind() == "template_substitution" for each in node.children())


def _callee(call: Node) -> str:
    function = call.field("function")
    return function.text() if function else ""


def _is_one_of(call: Node, names: frozenset[str]) -> bool:
    words = _callee(call).split(".")
    while len(words) > 1 and words[-1] in _FORMS:
        words.pop()
    return words[-1] in names and len(words) <= 2 and all(word.isidentifier() for word in words)


def _title(call: Node) -> str | None:
    given = arguments_of(call)
    if given and given[0].kind() == "identifier":  # describe(Basket, () => …): the name of the class
        return given[0].text()
    return literal_text(given[0]) if given else None


def _body(call: Node) -> Node | None:
    functions = [node for node in arguments_of(call) if node.kind() in _FUNCTIONS]
    return functions[-1].field("body") if functions else None
