"""Tests of ours beside the target."""

import ast

import pytest

from reknit.core.tamper_checks.checks import TargetTest
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.python.canaries import CanaryTests, canary_tests, simple_call
from reknit.core.tamper_checks.python.syntax import find_test

HEAD = "from shop.price import discount as d, total\nimport shop\n\n"


def _made(text: str, name: str) -> CanaryTests:
    tree = ast.parse(text)
    found = find_test(tree, TargetTest(f"t.py::{name}", "t.py"))
    assert found
    return canary_tests(tree, found, Names("s"))


def test_functions_beside_a_function() -> None:
    made = _made(f"{HEAD}def test_a():\n    assert d(200, percent=10) == 180\n", "test_a")
    assert made.holder == ""
    assert [each.must for each in made.canaries] == ["pass", "fail", "error", "fail"]
    assert [node.name for node in made.nodes if isinstance(node, ast.FunctionDef)] == [c.name for c in made.canaries]
    assert made.canaries[3].body.startswith("assert d(200, percent=10) == ")
    passing, failing = (each.body.removeprefix("assert ").split(" == ") for each in made.canaries[:2])
    assert passing[0] == passing[1]
    assert failing[0] != failing[1]


def test_methods_of_a_class_with_the_same_bases() -> None:
    made = _made(
        "class Price(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 1)\n", "Price::test_a"
    )
    assert [each.must for each in made.canaries] == ["pass", "fail", "error"]
    holder = made.nodes[0]
    assert isinstance(holder, ast.ClassDef)
    assert holder.name == made.holder
    assert [ast.unparse(base) for base in holder.bases] == ["unittest.TestCase"]
    assert all("self.assertEqual(" in each.body for each in made.canaries[:2])


def test_functions_beside_a_class_without_bases() -> None:
    made = _made("class TestPrice:\n    def test_a(self):\n        assert 1\n", "TestPrice::test_a")
    assert made.holder == ""
    assert len(made.nodes) == 3


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("assert total([1]) == d(1)", "d(1)"),
        ("assert total([1]) == 1", ""),
        ("assert other(1) == 1", ""),
        ("assert total() == 1", ""),
        ("assert shop.price(1) == 1", ""),
    ],
    ids=["the-first-with-constants", "a-list", "not-imported", "no-argument", "an-attribute"],
)
def test_a_call_that_can_be_repeated_anywhere(body: str, call: str) -> None:
    tree = ast.parse(f"{HEAD}def test_a():\n    {body}\n")
    found = find_test(tree, TargetTest("t.py::test_a", "t.py"))
    assert found
    assert simple_call(tree, found) == call


def test_an_inherited_test_shows_no_call() -> None:
    made = _made(f"{HEAD}class A(B):\n    pass\n", "A::test_x")
    assert [each.must for each in made.canaries] == ["pass", "fail", "error"]
