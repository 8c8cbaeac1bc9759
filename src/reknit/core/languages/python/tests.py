"""Reads the tests of one Python file from its syntax tree: names, assertions, skip marks, parameters."""

import ast
import doctest
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reknit.core.syntax import ParsedTest, ParsedTests

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ASSERTING_CALLS = frozenset({"raises", "warns", "fail", "deprecated_call"})
_SKIP_WORDS = ("skip", "xfail", "expectedfailure")
_SKIP_CALLS = frozenset(
    {"pytest.skip", "pytest.xfail", "pytest.importorskip", "importorskip", "self.skipTest", "unittest.skip"}
)
_BARE_SKIP_CALLS = frozenset({"skip", "xfail"})

Function = ast.FunctionDef | ast.AsyncFunctionDef
MAX_CHAIN_LINKS = 40
"""Maximum number of links of `a.b.c` that are read: no name of interest is longer, and longer ones take too long."""


@lru_cache(maxsize=2)  # several rules read the same file; a tree is too large to keep more
def parse(text: str) -> ast.Module | None:
    """Return the tree; None if this is not Python, or not a version that this interpreter can parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # reknit does not report invalid escapes in the file
            return ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def read_tests(module: ast.Module, lines: range | None = None) -> ParsedTests:
    """Read the tests. A later definition of a name wins, as at run time. Outside `lines` only names are read."""
    tests = ParsedTests()
    # A stack instead of recursion: a long `elif` chain is nested deeper than Python can recurse.
    waiting = [(statement, "") for statement in reversed(module.body)]
    while waiting:
        statement, prefix = waiting.pop()
        inside = _read_statement(statement, prefix, tests, lines)
        waiting += [(inner, prefix + inside.prefix) for inner in reversed(inside.body)]
    return tests


def is_within(statement: ast.stmt, lines: range | None) -> bool:
    """Return True if any line of the statement is in `lines`; None means all lines."""
    return lines is None or (statement.lineno < lines.stop and (statement.end_lineno or lines.stop) >= lines.start)


def join_dotted_name(node: ast.expr) -> str:
    """Return `a.b.c` for names, attributes and calls; only the end of a long chain; empty for other nodes."""
    parts: list[str] = []
    for _step in range(MAX_CHAIN_LINKS):
        if not isinstance(node, ast.Attribute | ast.Call):
            break
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        else:
            node = node.func
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ".".join(reversed(parts))


def list_doctests(text: str) -> Counter[tuple[str, str]]:
    """Count every doctest example in the text, as (source, expected output)."""
    examples: Counter[tuple[str, str]] = Counter()
    for docstring in _list_docstrings(text):
        try:
            parsed_examples = doctest.DocTestParser().get_examples(docstring)
        except ValueError:
            continue  # not a well-formed doctest, so no runner runs it
        examples.update((example.source.strip(), example.want.strip()) for example in parsed_examples)
    return examples


def _list_docstrings(text: str) -> Iterator[str]:
    module = parse(text) if ">>>" in text else None
    for node in ast.walk(module) if module else ():
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


@dataclass(frozen=True)
class _Inside:
    """Statements that may contain further tests, and the prefix of their names."""

    body: Sequence[ast.stmt] = ()
    prefix: str = ""


def _read_statement(statement: ast.stmt, prefix: str, tests: ParsedTests, lines: range | None) -> _Inside:
    if isinstance(statement, _FUNCTIONS) and statement.name.startswith("test"):
        name = prefix + statement.name
        earlier = tests.tests[name].definitions if name in tests.tests else 0
        by_name = ParsedTest(name, 0, Counter(), 0, is_empty=False, definitions=earlier + 1)
        tests.tests[name] = _parse_test(statement, name, earlier + 1) if is_within(statement, lines) else by_name
        return _Inside()
    if isinstance(statement, ast.ClassDef):
        return _read_class(statement, prefix, tests)
    if isinstance(statement, ast.If | ast.Try | ast.With):
        return _Inside(_list_blocks(statement))
    if is_within(statement, lines):
        tests.skips.update({f"{prefix}{word}": 1 for word in _list_skips(statement)})
    return _Inside()


def _read_class(statement: ast.ClassDef, prefix: str, tests: ParsedTests) -> _Inside:
    is_test = statement.name.startswith("Test") or any(
        join_dotted_name(base).endswith("TestCase") for base in statement.bases
    )
    if not is_test:
        return _Inside()
    name = f"{statement.name}::"
    tests.skips.update({f"{prefix}{name}{word}": 1 for word in _list_marks(statement.decorator_list)})
    return _Inside(statement.body, name)


def _list_blocks(statement: ast.If | ast.Try | ast.With) -> list[ast.stmt]:
    body = [*statement.body]
    if isinstance(statement, ast.Try):
        body += [inner for handler in statement.handlers for inner in handler.body] + statement.finalbody
    if isinstance(statement, ast.If | ast.Try):
        body += statement.orelse
    return body


def _parse_test(function: Function, name: str, definitions: int) -> ParsedTest:
    nodes = list(ast.walk(function))
    skips = Counter(_list_marks(function.decorator_list))
    for statement in function.body:
        skips.update(_list_skips(statement))
    skips.update(
        join_dotted_name(node.func)
        for node in nodes
        if isinstance(node, ast.Call) and join_dotted_name(node.func) in _BARE_SKIP_CALLS
    )
    return ParsedTest(
        name=name,
        assertions=sum(_is_assertion(node) for node in nodes),
        skips=skips,
        parameters=sum(_count_parameters(mark) for mark in function.decorator_list),
        is_empty=_is_empty(function.body),
        definitions=definitions,
    )


def _is_assertion(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        last = join_dotted_name(node.func).rpartition(".")[2]
        return last.startswith("assert") or last in _ASSERTING_CALLS
    if isinstance(node, ast.Raise):
        return node.exc is not None and join_dotted_name(node.exc) == "AssertionError"
    return isinstance(node, ast.Assert)


def _is_empty(body: Sequence[ast.stmt]) -> bool:
    """Return True if the first real statement ends the test, or there is none."""
    for statement in body:
        if isinstance(statement, ast.Return):
            return True
        is_filler = isinstance(statement, ast.Pass) or (
            isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        )
        if not is_filler:
            return False
    return True


def _list_marks(decorators: Sequence[ast.expr]) -> list[str]:
    return [name for name in map(join_dotted_name, decorators) if any(word in name.lower() for word in _SKIP_WORDS)]


def _list_skips(statement: ast.stmt) -> list[str]:
    """Return skips by a call, a raise, `pytestmark = …` or `__test__ = False`."""
    words: list[str] = []
    if isinstance(statement, ast.Assign) and any(isinstance(target, ast.Name) for target in statement.targets):
        targets = {target.id for target in statement.targets if isinstance(target, ast.Name)}
        if "pytestmark" in targets:
            return _list_marks([node for node in ast.walk(statement.value) if isinstance(node, ast.Attribute)])
        if "__test__" in targets and isinstance(statement.value, ast.Constant) and not statement.value.value:
            return ["__test__"]
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and join_dotted_name(node.func) in _SKIP_CALLS:
            words.append(join_dotted_name(node.func))
        elif isinstance(node, ast.Raise) and node.exc is not None and "SkipTest" in join_dotted_name(node.exc):
            words.append(join_dotted_name(node.exc))
    return words


def _count_parameters(mark: ast.expr) -> int:
    if not isinstance(mark, ast.Call) or not join_dotted_name(mark.func).endswith("parametrize"):
        return 0
    values = [*mark.args[1:2], *(keyword.value for keyword in mark.keywords if keyword.arg == "argvalues")]
    return sum(len(value.elts) for value in values if isinstance(value, ast.List | ast.Tuple | ast.Set))


_HOLDS_TESTS = re.compile(r"\bdef[ \t\f\\\r\n]+test")


def _read_python(text: str, lines: range | None) -> ParsedTests:
    module = parse(text) if _HOLDS_TESTS.search(text) else None
    return read_tests(module, lines) if module else ParsedTests()


READERS = dict.fromkeys((".py", ".pyi"), _read_python)
