import ast
from collections import Counter

import pytest

from reknit.core.languages.python.tests import join_dotted_name, list_doctests, parse, read_tests


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
    assert join_dotted_name(ast.parse(code, mode="eval").body) == name


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


@pytest.mark.parametrize(
    ("lines", "is_read"),
    [
        (range(1, 4), False),
        (range(1, 5), True),
        (range(6, 9), True),
        (range(7, 9), False),
        (range(5, 6), True),
        (None, True),
    ],
)
def test_a_test_is_read_if_a_line_of_it_changed(lines: range | None, is_read: bool) -> None:
    module = parse("\n\n\ndef test_a():\n    f()\n    assert 1\n\n\n")
    assert module is not None
    assert read_tests(module, lines).tests["test_a"].assertions == is_read


@pytest.mark.parametrize(
    ("body", "assertions", "skips"),
    [
        ("assert f()", 1, {}),
        ("self.assertTrue(f())", 1, {}),
        ("with pytest.raises(E): f()", 1, {}),
        ("with pytest.warns(W): f()", 1, {}),
        ("with pytest.deprecated_call(): f()", 1, {}),
        ("pytest.fail()", 1, {}),
        ("fails(); raise ValueError", 0, {}),
        ("raise AssertionError(1)", 1, {}),
        ("pytest.skip()", 0, {"pytest.skip": 1}),
        ("pytest.xfail()", 0, {"pytest.xfail": 1}),
        ("np = pytest.importorskip('np')", 0, {"pytest.importorskip": 1}),
        ("np = importorskip('np')", 0, {"importorskip": 1}),
        ("self.skipTest('x')", 0, {"self.skipTest": 1}),
        ("unittest.skip('x')", 0, {"unittest.skip": 1}),
        ("skip(); xfail()", 0, {"skip": 1, "xfail": 1}),
        ("raise SkipTest", 0, {"SkipTest": 1}),
        ("reader.skip(4)", 0, {}),
    ],
)
def test_what_checks_and_what_skips(body: str, assertions: int, skips: dict[str, int]) -> None:
    module = parse(f"def test_a():\n    {body}\n")
    assert module is not None
    test = read_tests(module).tests["test_a"]
    assert (test.assertions, test.skips, test.is_empty) == (assertions, skips, False)


def test_tests_are_found_in_every_block() -> None:
    blocks = (
        "if a:\n {}\nelif b:\n {}\nelse:\n {}\n",
        "try:\n {}\nexcept E:\n {}\nelse:\n {}\nfinally:\n {}\n",
        "with a:\n {}\n",
        "class TestA:\n {}\n",
        "class A(a.TestCase):\n if b:\n  {}\n",
    )
    for block in blocks:
        count = block.count("{}")
        module = parse(block.format(*(f"def test_{number}(): assert 1" for number in range(count))))
        assert module is not None
        assert sorted(name.rpartition("_")[2] for name in read_tests(module).tests) == [*map(str, range(count))]
    assert read_tests(ast.parse("for x in y:\n def test_a(): assert 1\ndef attest(): ...\n")).tests == {}


@pytest.mark.parametrize(
    ("mark", "count"),
    [
        ("pytest.mark.parametrize('a', [1, 2])", 2),
        ("parametrize('a', (1, 2, 3))", 3),
        ("parametrize('a', {1, 2})", 2),
        ("parametrize('a', argvalues=[1])", 1),
        ("parametrize('a', f(), [1, 2])", 0),
        ("parametrize('a', ids=[1, 2])", 0),
        ("usefixtures('a', [1, 2])", 0),
        ("parametrize", 0),
    ],
)
def test_literal_parameter_sets_are_counted(mark: str, count: int) -> None:
    assert read_tests(ast.parse(f"@{mark}\ndef test_a(a): assert a\n")).tests["test_a"].parameters == count


@pytest.mark.parametrize(
    ("line", "skips"),
    [
        ("pytestmark = pytest.mark.skipif(a)", {"pytest.mark.skipif": 1}),
        ("x = pytestmark = [pytest.mark.xfail]", {"pytest.mark.xfail": 1}),
        ("pytestmark = pytest.mark.slow", {}),
        ("marks = pytest.mark.skip", {}),
        ("__test__ = 0", {"__test__": 1}),
        ("__test__ = f()", {}),
        ("pytest.skip()", {"pytest.skip": 1}),
        ("skip()", {}),
        ("class TestA:\n pytestmark = pytest.mark.skip", {"TestA::pytest.mark.skip": 1}),
        ("@unittest.skipIf(a)\nclass TestA:\n class TestB:\n  __test__ = False",
         {"TestA::unittest.skipIf": 1, "TestA::TestB::__test__": 1}),
    ],
)  # fmt: skip
def test_skips_of_a_file_and_of_a_class(line: str, skips: dict[str, int]) -> None:
    assert read_tests(ast.parse(line)).skips == skips


def test_parsing_says_nothing_about_bad_escapes() -> None:
    assert parse("x = '\\d'\n") is not None


def test_a_later_definition_wins() -> None:
    module = parse("def test_a():\n    assert 1\n    assert 2\ndef test_a():\n    pass\n")
    assert module is not None
    test = read_tests(module).tests["test_a"]
    assert (test.definitions, test.assertions, test.is_empty) == (2, 0, True)


def test_doctests_are_read_from_every_docstring() -> None:
    text = '"""\n>>> a\n1\n"""\nclass C:\n """\n >>> a\n 1\n """\n async def f(self):\n  """>>> b"""\n'
    assert list_doctests(text) == Counter({("a", "1"): 2, ("b", ""): 1})


@pytest.mark.parametrize("text", ["x = 1\n", "'''>>> a''' (", '"""\n>>>a\n"""\n'])
def test_no_runner_would_find_a_doctest_here(text: str) -> None:
    assert list_doctests(text) == Counter()
