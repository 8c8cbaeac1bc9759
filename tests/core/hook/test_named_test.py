import pytest

from reknit.core.hook.named_test import inner_repository, is_test_package, lacks

TEXT = """
import unittest
from elsewhere import test_imported

def test_one(): ...

class First(unittest.TestCase):
    def test_two(self): ...

class Second(Shared, unittest.TestCase): ...

class Third:
    def test_four(self): ...
"""


@pytest.mark.parametrize(
    ("test", "missing"),
    [
        ("test_one", False),
        ("test_one[a::b]", False),
        ("test_imported", False),
        ("test_on", True),
        ("First", False),
        ("First::test_two", False),
        ("First::test_none", True),
        ("Fourth::test_two", True),
        ("Second::test_inherited", False),
        ("Third::test_none", True),
        ("", True),
        ("First::", True),
        ("a.doctest", False),
    ],
)
def test_a_test_that_a_python_file_does_not_mention_is_missing(test: str, missing: bool) -> None:
    assert lacks(TEXT, "tests/test_a.py", test) is missing


@pytest.mark.parametrize("line", ["from shared import *", "globals()['test_x'] = f", "setattr(First, name, f)"])
def test_names_that_are_built_cannot_be_looked_for(line: str) -> None:
    assert not lacks(TEXT + line, "test_a.py", "test_none")


def test_only_python_names_its_tests_by_identifiers() -> None:
    assert not lacks("test('adds', ...)", "a.test.ts", "adds")
    assert not lacks("", "a.spec.ts", "it > adds")


@pytest.mark.parametrize(
    ("names", "is_one"), [(["cart.go", "cart_test.go"], True), (["test_cart.py", "cart.go"], False), ([], False)]
)
def test_only_go_names_its_tests_by_their_folder(names: list[str], is_one: bool) -> None:
    assert is_test_package(names) is is_one


def test_a_test_of_another_repository_is_told_where_the_window_must_be() -> None:
    problem = inner_repository("lib/test_a.py", "/my shop/lib")
    assert (problem.what.startswith("'lib/test_a.py' is in a submodule"), "'/my shop/lib'" in problem.what) == (
        True,
        True,
    )
    assert problem.help == "open the window in '/my shop/lib', and name the test from there"
