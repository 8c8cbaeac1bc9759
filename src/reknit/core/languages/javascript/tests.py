"""Finds the tests of a JavaScript or TypeScript file: calls such as `it("adds", () => …)` inside of `describe`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from reknit.core.syntax import ParsedTest, ParsedTests, Syntax, ends_at_once, read_tree, split_dotted_name

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_TESTS = frozenset({"it", "test", "specify", "xit", "xtest", "xspecify", "fit", "ftest"})
_SUITES = frozenset({"describe", "suite", "context", "xdescribe", "xcontext", "fdescribe", "fcontext"})
_SKIPS = frozenset({"skip", "todo", "fails", "failing", "skipIf", "runIf"})
_ALONE = frozenset({"fit", "ftest", "fdescribe", "fcontext"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function"})
_CONTEXTS = frozenset({"t", "this", "ctx", "context", "test", "it"})
_NO_ASSERTIONS = frozenset({"skip", "todo", "plan", "log", "comment", "diagnostic", "test", "before", "after", "mock"})


def read(root: SgNode) -> ParsedTests:
    """Return the tests of a file, with their assertions and skips."""
    tests = ParsedTests()
    for call in root.find_all(kind="call_expression"):
        words = split_dotted_name(call)
        if not words or words[0] not in _TESTS | _SUITES:
            continue
        function = _find_function(call)
        if "only" in words or words[0] in _ALONE:
            tests.skips["only"] += 1
        if function is None and "todo" not in words:
            continue
        if words[0] in _TESTS:
            tests.add(_parse_test(call, words, function))
        else:
            tests.skips.update(f"{_read_title(call)}::{word}" for word in _find_marks(call, words))
    return tests


def _parse_test(call: SgNode, words: tuple[str, ...], function: SgNode | None) -> ParsedTest:
    around = [_read_title(outer) for outer in call.ancestors() if _is_suite(outer)]
    body = function.field("body") if function else None
    calls = [split_dotted_name(inner) for inner in body.find_all(kind="call_expression")] if body else []
    skips = Counter(_find_marks(call, words))
    skips.update(
        ".".join(dotted) for dotted in calls if len(dotted) == 2 and dotted[0] in _CONTEXTS and dotted[1] in _SKIPS
    )
    return ParsedTest(
        "::".join((*reversed(around), _read_title(call))),
        assertions=sum(map(_is_assertion, calls)),
        skips=skips,
        parameters=_count_parameters(call),
        is_empty=body is None or (body.kind() == "statement_block" and ends_at_once(body)),
    )


def _is_suite(node: SgNode) -> bool:
    return (
        node.kind() == "call_expression" and split_dotted_name(node)[:1] != () and split_dotted_name(node)[0] in _SUITES
    )


def _is_assertion(words: tuple[str, ...]) -> bool:
    """Return True if it is an assertion. `expect(x)` alone asserts nothing: only the call of a matcher does."""
    if not words:
        return False
    if words[0] == "t":
        return len(words) > 1 and words[1] not in _NO_ASSERTIONS
    return (words[0] == "expect" and len(words) > 1) or words[0].startswith("assert") or "should" in words


def _find_marks(call: SgNode, words: tuple[str, ...]) -> list[str]:
    marks = [word for word in words if word in _SKIPS]
    marks += [words[0]] if words[0].startswith("x") else []
    return marks + [word for word, value in _find_options(call) if word in _SKIPS and value != "false"]


def _find_options(call: SgNode) -> Iterator[tuple[str, str]]:
    for argument in _find_arguments(call):
        for pair in argument.children() if argument.kind() == "object" else ():
            key, value = pair.field("key"), pair.field("value")
            if key is not None and value is not None:
                yield key.text().strip("\"'"), value.text()


def _count_parameters(call: SgNode) -> int:
    """Count the rows of `it.each([…])("name", …)`."""
    each = call.field("function")
    tables = _find_arguments(each) if each is not None and each.kind() == "call_expression" else []
    return sum(child.is_named() for table in tables if table.kind() == "array" for child in table.children())


def _find_function(call: SgNode) -> SgNode | None:
    return next((argument for argument in reversed(_find_arguments(call)) if argument.kind() in _FUNCTIONS), None)


def _read_title(call: SgNode) -> str:
    arguments = _find_arguments(call)
    return arguments[0].text().strip("\"'`") if arguments else ""


def _find_arguments(call: SgNode) -> list[SgNode]:
    arguments = call.field("arguments")
    return [child for child in arguments.children() if child.is_named()] if arguments else []


def _read_as(syntax: Syntax) -> Callable[[str, range | None], ParsedTests]:
    return lambda text, _lines: read_tree(text, syntax, read)


READERS = {
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), _read_as("javascript")),
    **dict.fromkeys((".ts", ".mts", ".cts"), _read_as("typescript")),
    ".tsx": _read_as("tsx"),
}
