"""A test that is red half of the time beside a real bug: the right fix lands every time, and the other is named."""

from collections.abc import Mapping

import pytest

from tests.environment.fault_scene import Build

FLAKY = "import random\n\n\ndef test_flaky():\n    assert random.SystemRandom().random() < 0.5\n"
BUG: Mapping[str, str] = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "tests/test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
}
RIGHT = {"calc.py": "def add(a, b):\n    return a + b\n"}


@pytest.mark.parametrize("name", ["first", "zlast"])
@pytest.mark.parametrize("number", [0, *(pytest.param(each, marks=pytest.mark.long) for each in range(1, 25))])
def test_the_right_fix_lands(scene: Build, name: str, number: int) -> None:
    """`name`: the flaky test is before or behind the bug; `number`: the dice are thrown again."""
    made = scene({**BUG, f"tests/test_{name}.py": FLAKY, "conftest.py": ""})
    answer = made.repair(RIGHT)
    told = answer.out + answer.err
    assert (answer.exit_code, made.ending[0]) == (0, "FIXED"), f"{number}: {told}"
    assert "commit" in answer.out
    assert f"test_{name}.py::test_flaky" in told or "flaky" not in told, told
