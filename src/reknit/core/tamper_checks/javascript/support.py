"""What the second harness cannot stand in for: then it has nothing to say about a test file."""

import posixpath
import re
from collections.abc import Iterator, Sequence

from reknit.core.tamper_checks.checks import Targets
from reknit.core.tamper_checks.javascript.probes import separator
from reknit.core.tamper_checks.javascript.registered_tests import enclosing_test, titles_of
from reknit.core.tamper_checks.syntax import Node, of_kind


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


def unsupported(root: Node, targets: Targets, wanted: Sequence[str]) -> str:
    """The first thing that needs the runner, in words of the file; empty if there is none."""
    configured = (text for path, text in targets.files.items() if _CONFIGS.fullmatch(posixpath.basename(path)))
    texts = [*configured, *(node.text() for node in root.children() if node.kind() == "comment")]
    if any(map(_BROWSER.search, texts)):
        return "a browser's environment"
    mocha = [text for path, text in targets.files.items() if posixpath.basename(path).startswith(".mocharc.")]
    if any(map(_RESETS.search, texts)):
        return "mocks that it resets"
    if any(map(_SETUP.search, texts)) or any(map(_MOCHA_SETUP.search, mocha)):
        return "files that set up its tests"
    between = separator(targets.runner)
    return next((name for node, name in _unknown(root) if not _is_elsewhere(node, wanted, between)), "")


def _unknown(root: Node) -> Iterator[tuple[Node, str]]:
    for node in of_kind(root, "member_expression"):
        owner, named = node.field("object"), node.field("property")
        place, name = _path(owner), named.text() if named else ""
        is_form = place in ("it", "test", "describe") and name in _FORMS
        if is_form or (place in _MEMBERS and name not in _MEMBERS[place]):
            yield node, f"{place}.{name}"
        elif name not in _CHAIN and _is_expected(owner):
            yield node, name


def _path(node: Node | None) -> str:
    return node.text() if node is not None and node.kind() in ("identifier", "member_expression") else ""


def _is_expected(node: Node | None) -> bool:
    """Whether it is `expect(…)`, or a chain of words after it."""
    while node is not None and node.kind() == "member_expression":
        node = node.field("object")
    function = node.field("function") if node is not None and node.kind() == "call_expression" else None
    return function is not None and function.text() == "expect"


def _is_elsewhere(node: Node, wanted: Sequence[str], between: str) -> bool:
    """Whether it is in a test that nobody asked about: it may fail there."""
    call = enclosing_test(node)
    name = between.join(titles_of(call)) if call is not None else ""
    return bool(name) and not any(each == name or each.startswith(name + between) for each in wanted)
