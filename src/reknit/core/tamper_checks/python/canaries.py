"""Tests of ours beside the target, in a copy of its file: one must pass, one must fail, one must raise."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reknit.core.tamper_checks.checks import Must
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.python.syntax import Found


@dataclass(frozen=True)
class Canary:
    name: str
    must: Must
    body: str
    """One statement."""


@dataclass(frozen=True)
class CanaryTests:
    nodes: Sequence[ast.stmt]
    """For the end of the file."""
    holder: str
    """The class that they are in; empty if they are functions."""
    canaries: Sequence[Canary]


def canary_tests(tree: ast.Module, target: Found, names: Names) -> CanaryTests:
    """Functions, or methods of a class with the bases of the target's."""
    bases = [ast.unparse(base) for base in target.holder.bases] if target.holder else []
    canaries = tuple(_canaries(tree, target, names, is_case=bool(bases)))
    if not bases:
        text = "\n\n".join(f"def {each.name}():\n    {each.body}" for each in canaries)
        return CanaryTests(ast.parse(text).body, "", canaries)
    holder = f"Test{names.title('canary class')}"
    methods = "\n\n".join(f"    def {each.name}(self):\n        {each.body}" for each in canaries)
    return CanaryTests(ast.parse(f"class {holder}({', '.join(bases)}):\n{methods}").body, holder, canaries)


def _canaries(tree: ast.Module, target: Found, names: Names, *, is_case: bool) -> Iterator[Canary]:
    number = 1000 + names.choice("canary number", 9000)
    yield Canary(_name(names, "pass"), "pass", _equal(str(number), str(number), is_case=is_case))
    yield Canary(_name(names, "fail"), "fail", _equal(str(number), str(number + 1), is_case=is_case))
    yield Canary(_name(names, "error"), "error", f"raise RuntimeError({names.word('canary error')!r})")
    call = simple_call(tree, target)
    if call:
        yield Canary(_name(names, "wrong"), "fail", _equal(call, f"{number}{number}", is_case=is_case))


def _name(names: Names, use: str) -> str:
    return f"test_{names.word(f'canary {use}')}"


def _equal(left: str, right: str, *, is_case: bool) -> str:
    return f"self.assertEqual({left}, {right})" if is_case else f"assert {left} == {right}"


def simple_call(tree: ast.Module, target: Found) -> str:
    """A call in the target of something that its file imports, with nothing but constants; empty if there is none."""
    imported = {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    for node in ast.walk(target.function) if target.function else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in imported:
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            if values and all(isinstance(value, ast.Constant) for value in values):
                return ast.unparse(node)
    return ""
