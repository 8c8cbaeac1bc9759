"""The tests of one Python file, read from its syntax tree: names, assertions, skip marks, parameters."""

import ast
import doctest
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reknit.core.gate.syntax.found_tests import FoundTest, FoundTests

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ASSERTING_CALLS = frozenset({"raises", "warns", "fail", "deprecated_call"})
_SKIP_WORDS = ("skip", "xfail", "expectedfailure")
_SKIP_CALLS = frozenset(
    {"pytest.skip", "pytest.xfail", "pytest.importorskip", "importorskip", "self.skipTest", "unittest.skip"}
)
_BARE_SKIP_CALLS = frozenset({"skip", "xfail"})

Function = ast.FunctionDef | ast.AsyncFunctionDef
LONGEST_CHAIN = 40
"""Links; no name of interest is longer, and every link walks the chain again."""


@lru_cache(maxsize=2)  # several rules read the same file; a tree is too large to keep more
def parse(text: str) -> ast.Module | None:
    """None if this is not Python, or not a version this interpreter can parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the file are not ours to report
            return ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def read_tests(module: ast.Module, lines: range | None = None) -> FoundTests:
    """As at run time, a later definition of the same name wins. Outside the lines only names are read."""
    found = FoundTests()
    # A stack instead of recursion: a long `elif` chain is nested deeper than Python can recurse.
    left = [(statement, "") for statement in reversed(module.body)]
    while left:
        statement, prefix = left.pop()
        inside = _read_statement(statement, prefix, found, lines)
        left += [(inner, prefix + inside.prefix) for inner in reversed(inside.body)]
    return found


def is_within(statement: ast.stmt, lines: range | None) -> bool:
    """Whether any line of it is in `lines`; None means all lines."""
    return lines is None or (statement.lineno < lines.stop and (statement.end_lineno or lines.stop) >= lines.start)


def dotted(node: ast.expr) -> str:
    """`a.b.c` for names and attributes, also under a call; the end of a very long chain; empty for anything else."""
    parts: list[str] = []
    for _step in range(LONGEST_CHAIN):
        if not isinstance(node, ast.Attribute | ast.Call):
            break
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        else:
            node = node.func
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ".".join(reversed(parts))


def doctests_of(text: str) -> Counter[tuple[str, str]]:
    """Every doctest example in the text, as (source, expected output)."""
    examples: Counter[tuple[str, str]] = Counter()
    for docstring in _docstrings(text):
        try:
            found = doctest.DocTestParser().get_examples(docstring)
        except ValueError:
            continue  # not a well-formed doctest, so no runner runs it
        examples.update((example.source.strip(), example.want.strip()) for example in found)
    return examples


def _docstrings(text: str) -> Iterator[str]:
    module = parse(text) if ">>>" in text else None
    for node in ast.walk(module) if module else ():
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


@dataclass(frozen=True)
class _Inside:
    """Statements that may contain further tests, and the prefix of their names."""

    body: Sequence[ast.stmt] = ()
    prefix: str = ""


def _read_statement(statement: ast.stmt, prefix: str, found: FoundTests, lines: range | None) -> _Inside:
    if isinstance(statement, _FUNCTIONS) and statement.name.startswith("test"):
        name = prefix + statement.name
        earlier = found.tests[name].definitions if name in found.tests else 0
        by_name = FoundTest(name, 0, Counter(), 0, is_empty=False, definitions=earlier + 1)
        found.tests[name] = _test(statement, name, earlier + 1) if is_within(statement, lines) else by_name
        return _Inside()
    if isinstance(statement, ast.ClassDef):
        return _read_class(statement, prefix, found)
    if isinstance(statement, ast.If | ast.Try | ast.With):
        return _Inside(_blocks(statement))
    if is_within(statement, lines):
        found.skips.update({f"{prefix}{word}": 1 for word in _skips_in(statement)})
    return _Inside()


def _read_class(statement: ast.ClassDef, prefix: str, found: FoundTests) -> _Inside:
    is_test = statement.name.startswith("Test") or any(dotted(base).endswith("TestCase") for base in statement.bases)
    if not is_test:
        return _Inside()
    name = f"{statement.name}::"
    found.skips.update({f"{prefix}{name}{word}": 1 for word in _marks(statement.decorator_list)})
    return _Inside(statement.body, name)


def _blocks(statement: ast.If | ast.Try | ast.With) -> list[ast.stmt]:
    body = [*statement.body]
    if isinstance(statement, ast.Try):
        body += [inner for handler in statement.handlers for inner in handler.body] + statement.finalbody
    if isinstance(statement, ast.If | ast.Try):
        body += statement.orelse
    return body


def _test(function: Function, name: str, definitions: int) -> FoundTest:
    nodes = list(ast.walk(function))
    skips = Counter(_marks(function.decorator_list))
    for statement in function.body:
        skips.update(_skips_in(statement))
    skips.update(
        dotted(node.func) for node in nodes if isinstance(node, ast.Call) and dotted(node.func) in _BARE_SKIP_CALLS
    )
    return FoundTest(
        name=name,
        assertions=sum(_is_assertion(node) for node in nodes),
        skips=skips,
        parameters=sum(_parameters(mark) for mark in function.decorator_list),
        is_empty=_is_empty(function.body),
        definitions=definitions,
    )


def _is_assertion(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        last = dotted(node.func).rpartition(".")[2]
        return last.startswith("assert") or last in _ASSERTING_CALLS
    if isinstance(node, ast.Raise):
        return node.exc is not None and dotted(node.exc) == "AssertionError"
    return isinstance(node, ast.Assert)


def _is_empty(body: Sequence[ast.stmt]) -> bool:
    """The first real statement ends the test, or there is none."""
    for statement in body:
        if isinstance(statement, ast.Return):
            return True
        is_filler = isinstance(statement, ast.Pass) or (
            isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        )
        if not is_filler:
            return False
    return True


def _marks(decorators: Sequence[ast.expr]) -> list[str]:
    return [name for name in map(dotted, decorators) if any(word in name.lower() for word in _SKIP_WORDS)]


def _skips_in(statement: ast.stmt) -> list[str]:
    """Skips by a call, a raise, `pytestmark = …` or `__test__ = False`."""
    words: list[str] = []
    if isinstance(statement, ast.Assign) and any(isinstance(target, ast.Name) for target in statement.targets):
        targets = {target.id for target in statement.targets if isinstance(target, ast.Name)}
        if "pytestmark" in targets:
            return _marks([node for node in ast.walk(statement.value) if isinstance(node, ast.Attribute)])
        if "__test__" in targets and isinstance(statement.value, ast.Constant) and not statement.value.value:
            return ["__test__"]
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and dotted(node.func) in _SKIP_CALLS:
            words.append(dotted(node.func))
        elif isinstance(node, ast.Raise) and node.exc is not None and "SkipTest" in dotted(node.exc):
            words.append(dotted(node.exc))
    return words


def _parameters(mark: ast.expr) -> int:
    if not isinstance(mark, ast.Call) or not dotted(mark.func).endswith("parametrize"):
        return 0
    values = [*mark.args[1:2], *(keyword.value for keyword in mark.keywords if keyword.arg == "argvalues")]
    return sum(len(value.elts) for value in values if isinstance(value, ast.List | ast.Tuple | ast.Set))
