"""The tests of one JavaScript or TypeScript file: calls such as `it("adds", () => …)` inside of `describe`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reknit.core.gate.syntax.found_tests import FoundTest, FoundTests
from reknit.core.gate.syntax.trees import dotted, ends_at_once

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_TESTS = frozenset({"it", "test", "specify", "xit", "xtest", "xspecify", "fit", "ftest"})
_SUITES = frozenset({"describe", "suite", "context", "xdescribe", "xcontext", "fdescribe", "fcontext"})
_SKIPS = frozenset({"skip", "todo", "fails", "failing", "skipIf", "runIf"})
_ALONE = frozenset({"fit", "ftest", "fdescribe", "fcontext"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function"})
_CONTEXTS = frozenset({"t", "this", "ctx", "context", "test", "it"})
_NO_ASSERTIONS = frozenset({"skip", "todo", "plan", "log", "comment", "diagnostic", "test", "before", "after", "mock"})


def read(root: SgNode) -> FoundTests:
    found = FoundTests()
    for call in root.find_all(kind="call_expression"):
        words = dotted(call)
        if not words or words[0] not in _TESTS | _SUITES:
            continue
        function = _function(call)
        if "only" in words or words[0] in _ALONE:
            found.skips["only"] += 1
        if function is None and "todo" not in words:
            continue
        if words[0] in _TESTS:
            found.add(_test(call, words, function))
        else:
            found.skips.update(f"{_name(call)}::{word}" for word in _marks(call, words))
    return found


def _test(call: SgNode, words: tuple[str, ...], function: SgNode | None) -> FoundTest:
    around = [_name(outer) for outer in call.ancestors() if _is_suite(outer)]
    body = function.field("body") if function else None
    calls = [dotted(inner) for inner in body.find_all(kind="call_expression")] if body else []
    skips = Counter(_marks(call, words))
    skips.update(".".join(each) for each in calls if len(each) == 2 and each[0] in _CONTEXTS and each[1] in _SKIPS)
    return FoundTest(
        "::".join((*reversed(around), _name(call))),
        assertions=sum(map(_is_assertion, calls)),
        skips=skips,
        parameters=_parameters(call),
        is_empty=body is None or (body.kind() == "statement_block" and ends_at_once(body)),
    )


def _is_suite(node: SgNode) -> bool:
    return node.kind() == "call_expression" and dotted(node)[:1] != () and dotted(node)[0] in _SUITES


def _is_assertion(words: tuple[str, ...]) -> bool:
    """`expect(x)` alone asserts nothing: only the call of a matcher does."""
    if not words:
        return False
    if words[0] == "t":
        return len(words) > 1 and words[1] not in _NO_ASSERTIONS
    return (words[0] == "expect" and len(words) > 1) or words[0].startswith("assert") or "should" in words


def _marks(call: SgNode, words: tuple[str, ...]) -> list[str]:
    marks = [word for word in words if word in _SKIPS]
    marks += [words[0]] if words[0].startswith("x") else []
    return marks + [word for word, value in _options(call) if word in _SKIPS and value != "false"]


def _options(call: SgNode) -> Iterator[tuple[str, str]]:
    for argument in _arguments(call):
        for pair in argument.children() if argument.kind() == "object" else ():
            key, value = pair.field("key"), pair.field("value")
            if key is not None and value is not None:
                yield key.text().strip("\"'"), value.text()


def _parameters(call: SgNode) -> int:
    """Of `it.each([…])("name", …)`."""
    each = call.field("function")
    tables = _arguments(each) if each is not None and each.kind() == "call_expression" else []
    return sum(child.is_named() for table in tables if table.kind() == "array" for child in table.children())


def _function(call: SgNode) -> SgNode | None:
    return next((each for each in reversed(_arguments(call)) if each.kind() in _FUNCTIONS), None)


def _name(call: SgNode) -> str:
    arguments = _arguments(call)
    return arguments[0].text().strip("\"'`") if arguments else ""


def _arguments(call: SgNode) -> list[SgNode]:
    arguments = call.field("arguments")
    return [child for child in arguments.children() if child.is_named()] if arguments else []
