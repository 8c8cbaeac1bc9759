import ast
from collections import Counter

import pytest

from reknit.core.gate.syntax.python_tests import doctests_of, dotted, parse, read_tests


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("a", "a"),
        ("a.b.c", "a.b.c"),
        ("a.b(1).c", "a.b.c"),
        ("f()()", "f"),
        ("(x or y).z", "z"),
        ("1", ""),
        ("a" + ".b" * 41, ".".join("b" * 40)),
    ],
)
def test_dotted_names_a_call_by_its_words(code: str, name: str) -> None:
    assert dotted(ast.parse(code, mode="eval").body) == name


@pytest.mark.parametrize("text", ["def (", "x\0y", "-" * 100_000 + "1"])
def test_what_is_not_python_is_none(text: str) -> None:
    assert parse(text) is None


def test_a_byte_order_mark_is_no_code() -> None:
    assert parse("\ufeffx = 1\n") is not None


def test_outside_the_lines_only_names_are_read() -> None:
    module = parse("pytest.skip()\ndef test_a():\n    assert 1\ndef test_b():\n    assert 2\n")
    assert module is not None
    found = read_tests(module, range(4, 6))
    assert {name: test.assertions for name, test in found.tests.items()} == {"test_a": 0, "test_b": 1}
    assert found.skips == Counter()


def test_parsing_says_nothing_about_bad_escapes() -> None:
    assert parse("x = '\\d'\n") is not None


def test_a_later_definition_wins() -> None:
    module = parse("def test_a():\n    assert 1\n    assert 2\ndef test_a():\n    pass\n")
    assert module is not None
    test = read_tests(module).tests["test_a"]
    assert (test.definitions, test.assertions, test.is_empty) == (2, 0, True)


def test_doctests_are_read_from_every_docstring() -> None:
    text = '"""\n>>> a\n1\n"""\nclass C:\n """\n >>> a\n 1\n """\n async def f(self):\n  """>>> b"""\n'
    assert doctests_of(text) == Counter({("a", "1"): 2, ("b", ""): 1})


@pytest.mark.parametrize("text", ["x = 1\n", "'''>>> a''' (", '"""\n>>>a\n"""\n'])
def test_no_runner_would_find_a_doctest_here(text: str) -> None:
    assert doctests_of(text) == Counter()
