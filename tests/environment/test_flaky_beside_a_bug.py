"""A test that is red half of the time beside a real bug: the right fix lands every time, and the other is named."""

from collections.abc import Mapping

import pytest

from tests.environment.fault_scene import Build

HEAD = "import unittest\n{}\n\nclass ItTest(unittest.TestCase):\n    def test_{}(self):\n        self.assertTrue({})\n"
FLAKY = HEAD.format("import random\n", "flaky", "random.SystemRandom().random() < 0.5")
BUG: Mapping[str, str] = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "tests/__init__.py": "",
    "tests/test_calc.py": HEAD.format("from calc import add\n", "add", "add(1, 2) == 3"),
}
UNITTEST = {"checks": {"tests": {"run": "python3 -m unittest"}}}
"""It starts in a third of the time that pytest needs, which is the runner of the first throw."""
RIGHT = {"calc.py": "def add(a, b):\n    return a + b\n"}


@pytest.mark.parametrize("name", ["first", "zlast"])
@pytest.mark.parametrize("number", [0, *(pytest.param(each, marks=pytest.mark.long) for each in range(1, 25))])
def test_the_right_fix_lands(scene: Build, name: str, number: int) -> None:
    """`name`: the flaky test is before or behind the bug; `number`: the dice are thrown again."""
    made = scene({**BUG, f"tests/test_{name}.py": FLAKY, "conftest.py": ""})
    answer = made.repair(RIGHT, **(UNITTEST if number else {}))
    told = answer.out + answer.err
    assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), f"{number}: {told}"
    assert "git merge reknit/" in answer.out
    assert f"test_{name}.py::ItTest::test_flaky" in told or "flaky" not in told, told
