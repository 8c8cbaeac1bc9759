"""The checks for a few targets of Python."""

import ast
from collections.abc import Sequence

import pytest

from reknit.core.languages.python.tamper_checks.make import (
    MAX_FILES,
    CanaryTests,
    ProbeFile,
    build_canary_tests,
    build_probe_file,
    choose_probe_path,
    find_simple_call,
    make,
)
from reknit.core.languages.python.tamper_checks.syntax import find_test
from reknit.core.tamper_checks.checks import Names, Targets, TargetTest

TEXT = "from shop.price import discount\n\n\ndef test_a():\n    assert discount(200, 10) == 180\n"
PLAIN = "def test_a():\n    import shop\n"


def _target(file: str, name: str = "test_a") -> TargetTest:
    return TargetTest(f"{file}::{name}", file)


def test_each_file_of_targets_has_a_file_of_probes_beside_it() -> None:
    tests = (_target("a/test_x.py"), _target("b/test_y.py"))
    made = make(Targets("pytest", tests, {"a/test_x.py": TEXT, "b/test_y.py": TEXT}), Names("s"))
    assert [path.partition("/")[0] for path in made.probe_files] == ["a", "b"]
    assert {probe.id.partition("::")[0] for probe in made.probes} == {*made.probe_files}
    assert made.harness
    assert made.harness.tests == tuple(test.id for test in tests)
    assert made.harness.hidden == ("a/test_x.py", "b/test_y.py")


def test_many_files_are_not_all_probed() -> None:
    files = {f"test_{number}.py": TEXT for number in range(MAX_FILES + 5)}
    made = make(Targets("pytest", tuple(map(_target, files)), files), Names("s"))
    assert len(made.probe_files) == MAX_FILES


def test_no_file_of_the_project_is_replaced() -> None:
    targets = Targets("pytest", (_target("test_x.py"),), {"test_x.py": TEXT})
    taken = make(targets, Names("s")).probe_files
    made = make(Targets("pytest", targets.tests, targets.files, tuple(taken)), Names("s"))
    assert not made.probe_files
    assert "canaries" in made.why_not


def test_a_target_that_compares_nothing_has_no_twin() -> None:
    made = make(Targets("pytest", (_target("test_x.py"),), {"test_x.py": PLAIN}), Names("s"))
    assert {*made.why_not} == {"twins"}


def test_what_cannot_be_read_has_no_checks() -> None:
    made = make(Targets("pytest", (_target("test_x.py"),), {"test_x.py": "def test_a(:\n"}), Names("s"))
    assert {*made.why_not} == {"canaries", "twins", "second-harness"}


def test_a_doctest_has_no_checks() -> None:
    test = TargetTest("shop/price.py::shop.price.discount", "shop/price.py")
    made = make(
        Targets("pytest", (test,), {"shop/price.py": "def discount():\n    '''>>> 1\n    1\n    '''\n"}), Names("s")
    )
    assert {*made.why_not} == {"canaries", "twins", "second-harness"}


HEAD = "from shop.price import discount as d, total\nimport shop\n\n"


def _build_canaries(text: str, name: str) -> CanaryTests:
    tree = ast.parse(text)
    found = find_test(tree, TargetTest(f"t.py::{name}", "t.py"))
    assert found
    return build_canary_tests(tree, found, Names("s"))


def test_functions_beside_a_function() -> None:
    made = _build_canaries(f"{HEAD}def test_a():\n    assert d(200, percent=10) == 180\n", "test_a")
    assert made.holder == ""
    assert [each.must for each in made.canaries] == ["pass", "fail", "error", "fail"]
    assert [node.name for node in made.nodes if isinstance(node, ast.FunctionDef)] == [c.name for c in made.canaries]
    assert made.canaries[3].body.startswith("assert d(200, percent=10) == ")
    passing, failing = (each.body.removeprefix("assert ").split(" == ") for each in made.canaries[:2])
    assert passing[0] == passing[1]
    assert failing[0] != failing[1]


def test_methods_of_a_class_with_the_same_bases() -> None:
    made = _build_canaries(
        "class Price(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 1)\n", "Price::test_a"
    )
    assert [each.must for each in made.canaries] == ["pass", "fail", "error"]
    holder = made.nodes[0]
    assert isinstance(holder, ast.ClassDef)
    assert holder.name == made.holder
    assert [ast.unparse(base) for base in holder.bases] == ["unittest.TestCase"]
    assert all("self.assertEqual(" in each.body for each in made.canaries[:2])


def test_functions_beside_a_class_without_bases() -> None:
    made = _build_canaries("class TestPrice:\n    def test_a(self):\n        assert 1\n", "TestPrice::test_a")
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
    assert find_simple_call(tree, found) == call


def test_an_inherited_test_shows_no_call() -> None:
    made = _build_canaries(f"{HEAD}class A(B):\n    pass\n", "A::test_x")
    assert [each.must for each in made.canaries] == ["pass", "fail", "error"]


PROBE_TEXT = """import unittest

import pytest

from shop.price import discount

RATE = 10


@pytest.mark.parametrize("p", [200, 300])
def test_one(p):
    assert discount(p, 0) - p == 0


class Price(unittest.TestCase):
    def test_two(self):
        self.assertEqual(discount(200, 10), 180)


class More(Price):
    pass
"""


def _build_probes(*names: str, text: str = PROBE_TEXT) -> ProbeFile:
    tests = [TargetTest(f"tests/test_price.py::{name}", "tests/test_price.py") for name in names]
    made = build_probe_file("tests/test_price.py", text, tests, Names("s"))
    assert made
    return made


def _defined(made: ProbeFile) -> set[str]:
    """Ids of all tests of a file, without parameters."""
    found = set()
    for node in ast.parse(made.text).body:
        inner: Sequence[ast.stmt] = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        found |= {f"{made.path}::{prefix}{each.name}" for each in inner if isinstance(each, ast.FunctionDef)}
    return found


def test_every_probe_is_in_the_file_under_its_id() -> None:
    made = _build_probes("test_one[200]", "test_one[300]", "Price::test_two")
    assert {probe.id.partition("[")[0] for probe in made.probes} <= _defined(made)
    assert "RATE = 10" in made.text
    assert made.path.startswith("tests/test_")


def test_a_twin_has_the_parameters_and_the_class_of_its_original() -> None:
    twins = [
        probe
        for probe in _build_probes("test_one[300]", "test_one[200]", "Price::test_two").probes
        if probe.must == "differ"
    ]
    assert [probe.target for probe in twins] == [
        "tests/test_price.py::test_one[300]",
        "tests/test_price.py::Price::test_two",
    ]
    assert twins[0].id.endswith("[300]")
    assert twins[1].id.split("::")[1] == "Price"


def test_a_test_that_is_inherited_has_canaries_only() -> None:
    assert {probe.must for probe in _build_probes("More::test_two").probes} == {"pass", "fail", "error"}


def test_one_row_is_left_of_those_that_say_what_is_expected() -> None:
    rows = (
        "import pytest\n\n@pytest.mark.parametrize('p,w', [(1, 2), (3, 4)])\ndef test_a(p, w):\n    assert f(p) == w\n"
    )
    twins = [probe for probe in _build_probes("test_a[3-4]", text=rows).probes if probe.must == "differ"]
    assert [probe.id.partition("[")[2] for probe in twins] == ["first]"]


@pytest.mark.parametrize("text", ["def test_a(:", "x = 1\n"], ids=["not-python", "no-such-test"])
def test_without_a_target_in_it_there_is_no_file(text: str) -> None:
    assert build_probe_file("test_x.py", text, [TargetTest("test_x.py::test_a", "test_x.py")], Names("s")) is None


@pytest.mark.parametrize(
    ("file", "start", "end"),
    [
        ("a/test_x.py", "a/test_", ".py"),
        ("x_test.py", "", "_test.py"),
        ("x_tests.py", "", "_tests.py"),
        ("test_x_test.py", "test_", ".py"),
        ("shop/tests.py", "shop/test_", ".py"),
    ],
)
def test_the_runner_finds_it_by_the_same_pattern(file: str, start: str, end: str) -> None:
    path = choose_probe_path(file, Names("s"))
    assert path.startswith(start)
    assert path.endswith(end)
    assert path.removeprefix(start).removesuffix(end).isalpha()
