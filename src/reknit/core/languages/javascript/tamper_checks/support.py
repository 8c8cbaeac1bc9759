"""Finds features in a test file that the second harness does not support; it then skips the file."""

import posixpath
import re
from collections.abc import Iterator, Sequence

from reknit.core.languages.javascript.tamper_checks.source import find_enclosing_test, find_titles, title_separator
from reknit.core.syntax import read_field
from reknit.core.tamper_checks.checks import Targets
from reknit.core.tamper_checks.syntax import Node, find_kind


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MATCHERS = _words(
    """
    toBe toEqual toStrictEqual toHaveLength toBeTruthy toBeFalsy toBeNull toBeNaN toBeUndefined toBeDefined
    toBeNullable toBeGreaterThan toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual toBeCloseTo toContain
    toContainEqual toMatch toMatchObject toHaveProperty toBeInstanceOf toBeTypeOf toBeOneOf toSatisfy toHaveBeenCalled
    toHaveBeenCalledOnce toHaveBeenCalledTimes toHaveBeenCalledWith toHaveBeenCalledExactlyOnceWith
    toHaveBeenLastCalledWith toHaveBeenNthCalledWith toHaveReturned toHaveReturnedWith toBeCalled toBeCalledTimes
    toBeCalledWith lastCalledWith toThrow toThrowError
    """
)
CHAI_WORDS = _words(
    """
    to be been is that which and has have with at of same but does still also true false null undefined ok exist NaN
    empty deep equal equals eq eql eqls a an lengthOf length above gt greaterThan least gte below lt lessThan most lte
    within closeTo approximately instanceof instanceOf match string oneOf satisfy satisfies include includes contain
    contains members keys key property throw throws Throw
    """
)
_CHAIN = MATCHERS | CHAI_WORDS | {"not", "resolves", "rejects"}
_ON_EXPECT = _words(
    """
    objectContaining arrayContaining stringContaining stringMatching closeTo not any anything assertions hasAssertions
    fail unreachable
    """
)
MOCKS = _words(
    """
    fn spyOn isMockFunction mocked clearAllMocks resetAllMocks restoreAllMocks stubGlobal stubEnv unstubAllGlobals
    unstubAllEnvs setTimeout setConfig
    """
)
_NODE_MOCK = frozenset({"fn", "method", "restoreAll", "reset"})
_MEMBERS = {"vi": MOCKS, "vitest": MOCKS, "jest": MOCKS, "mock": _NODE_MOCK, "t.mock": _NODE_MOCK, "expect": _ON_EXPECT}
_FORMS = frozenset({"fails", "failing", "extend", "scoped", "retry"})
_BROWSER = re.compile(r"nvironment[\"']?\s{0,9}:\s{0,9}[\"'](?!node\b)|@(?:vitest|jest)-environment (?!node\b)")
_SETUP = re.compile(
    r"\b(?:setupFiles|globalSetup\b|TZ=)|(?:--import|--require|--file|-r)[ =](?!tsx|ts-node|@swc|esbuild)"
    r"|--(?:env-file|loader|experimental-loader|conditions)\b"
)
_RESETS = re.compile(r"\b(?:clearMocks|resetMocks|restoreMocks|mockReset|unstubEnvs|unstubGlobals|fakeTimers)\b")
_MOCHA_SETUP = re.compile(r"\b(?:require|file)[\"']?\s{0,9}:")
_CONFIGS = re.compile(r"(?:vitest|vite|jest)\.config\.[cm]?[jt]s|jest\.config\.json|package\.json")


def find_unsupported(root: Node, targets: Targets, test_names: Sequence[str]) -> str:
    """Return the first feature that needs the runner, as the file names it; empty if there is none."""
    configured = (text for path, text in targets.files.items() if _CONFIGS.fullmatch(posixpath.basename(path)))
    texts = [*configured, *(node.text() for node in root.children() if node.kind() == "comment")]
    if any(map(_BROWSER.search, texts)):
        return "a browser's environment"
    mocha = [text for path, text in targets.files.items() if posixpath.basename(path).startswith(".mocharc.")]
    if any(map(_RESETS.search, texts)):
        return "mocks that it resets"
    if any(map(_SETUP.search, texts)) or any(map(_MOCHA_SETUP.search, mocha)):
        return "files that set up its tests"
    between = title_separator(targets.runner)
    return next((name for node, name in _find_unknown(root) if not _is_in_other_test(node, test_names, between)), "")


def _find_unknown(root: Node) -> Iterator[tuple[Node, str]]:
    for node in find_kind(root, "member_expression"):
        owner, name = node.field("object"), read_field(node, "property")
        place = _member_path(owner)
        is_form = place in ("it", "test", "describe") and name in _FORMS
        if is_form or (place in _MEMBERS and name not in _MEMBERS[place]):
            yield node, f"{place}.{name}"
        elif name not in _CHAIN and _is_expect_chain(owner):
            yield node, name


def _member_path(node: Node | None) -> str:
    return node.text() if node is not None and node.kind() in ("identifier", "member_expression") else ""


def _is_expect_chain(node: Node | None) -> bool:
    """Return True if it is `expect(…)`, or a chain of words after it."""
    while node is not None and node.kind() == "member_expression":
        node = node.field("object")
    function = node.field("function") if node is not None and node.kind() == "call_expression" else None
    return function is not None and function.text() == "expect"


def _is_in_other_test(node: Node, test_names: Sequence[str], between: str) -> bool:
    """Return True if the node is inside a test that is no target: the feature may fail there."""
    call = find_enclosing_test(node)
    name = between.join(find_titles(call)) if call is not None else ""
    return bool(name) and not any(test_name == name or test_name.startswith(name + between) for test_name in test_names)
