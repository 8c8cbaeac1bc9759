"""The file of probes."""

import ast
from collections.abc import Sequence

import pytest

from reknit.core.tamper_checks.checks import TargetTest
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.python.probes import ProbeFile, probe_file, probe_path

TEXT = """import unittest

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


def _made(*names: str, text: str = TEXT) -> ProbeFile:
    tests = [TargetTest(f"tests/test_price.py::{name}", "tests/test_price.py") for name in names]
    made = probe_file("tests/test_price.py", text, tests, Names("s"))
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
    made = _made("test_one[200]", "test_one[300]", "Price::test_two")
    assert {probe.id.partition("[")[0] for probe in made.probes} <= _defined(made)
    assert "RATE = 10" in made.text
    assert made.path.startswith("tests/test_")


def test_a_twin_has_the_parameters_and_the_class_of_its_original() -> None:
    twins = [
        probe for probe in _made("test_one[300]", "test_one[200]", "Price::test_two").probes if probe.must == "differ"
    ]
    assert [probe.target for probe in twins] == [
        "tests/test_price.py::test_one[300]",
        "tests/test_price.py::Price::test_two",
    ]
    assert twins[0].id.endswith("[300]")
    assert twins[1].id.split("::")[1] == "Price"


def test_a_test_that_is_inherited_has_canaries_only() -> None:
    assert {probe.must for probe in _made("More::test_two").probes} == {"pass", "fail", "error"}


def test_one_row_is_left_of_those_that_say_what_is_expected() -> None:
    rows = (
        "import pytest\n\n@pytest.mark.parametrize('p,w', [(1, 2), (3, 4)])\ndef test_a(p, w):\n    assert f(p) == w\n"
    )
    twins = [probe for probe in _made("test_a[3-4]", text=rows).probes if probe.must == "differ"]
    assert [probe.id.partition("[")[2] for probe in twins] == ["first]"]


@pytest.mark.parametrize("text", ["def test_a(:", "x = 1\n"], ids=["not-python", "no-such-test"])
def test_without_a_target_in_it_there_is_no_file(text: str) -> None:
    assert probe_file("test_x.py", text, [TargetTest("test_x.py::test_a", "test_x.py")], Names("s")) is None


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
    path = probe_path(file, Names("s"))
    assert path.startswith(start)
    assert path.endswith(end)
    assert path.removeprefix(start).removesuffix(end).isalpha()
