"""Targets in the syntax tree of their file."""

import ast

import pytest

from reknit.core.languages.python.tamper_checks.syntax import find_test, parse
from reknit.core.tamper_checks.checks import TargetTest

TREE = ast.parse("def test_a(): 1\ndef test_a(): 2\nclass A(B):\n  class C:\n    async def test_b(self): 3\n")


@pytest.mark.parametrize(
    ("name", "function", "holder", "parameters"),
    [
        pytest.param("test_a", "def test_a():\n    2", "", "", id="the-last-of-a-name"),
        pytest.param("test_a[1::2]", "def test_a():\n    2", "", "[1::2]", id="with-parameters"),
        pytest.param("A::C::test_b", "async def test_b(self):\n    3", "C", "", id="in-a-class-of-a-class"),
        pytest.param("A::test_x", "", "A", "", id="inherited"),
    ],
)
def test_a_test_is_found(name: str, function: str, holder: str, parameters: str) -> None:
    found = find_test(TREE, TargetTest(f"t.py::{name}", "t.py"))
    assert found
    assert (ast.unparse(found.function) if found.function else "") == function
    assert (found.holder.name if found.holder else "") == holder
    assert found.parameters == parameters


@pytest.mark.parametrize("test", ["t.py::test_x", "t.py::X::test_a", "t.py", "t.py::A::a test", "other.py::test_a"])
def test_what_is_not_there_is_not_found(test: str) -> None:
    assert find_test(TREE, TargetTest(test, "t.py")) is None


@pytest.mark.parametrize("text", ["def", "\0", "(" * 300 + ")" * 300])
def test_what_is_not_python_has_no_tree(text: str) -> None:
    assert parse(text) is None
