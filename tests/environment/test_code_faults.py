"""Faults of the code that look like the environment's, through the whole loop: each is paid for, and fixed."""

import pytest

from tests.environment import code_faults
from tests.environment.fault_scene import Build


def _sizes() -> list[object]:
    """A few of each language in every check; all of them in the long suite."""
    return [name if name in code_faults.FEW else pytest.param(name, marks=pytest.mark.long) for name in code_faults.ALL]


def test_there_are_enough_faults() -> None:
    assert len(code_faults.ALL) >= 30
    assert code_faults.ALL.keys() >= code_faults.FEW


@pytest.mark.parametrize("name", _sizes())
def test_a_fault_of_the_code_reaches_the_agent_and_is_fixed(scene: Build, name: str) -> None:
    fault = code_faults.ALL[name]
    made = scene(fault.files)
    answer = made.repair(fault.fix, "--format", "json")
    (baseline,) = answer.events("baseline")
    assert (baseline["left_out"], len(baseline["findings"])) == ([], 1), answer.out
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), answer.out
    assert made.agent_calls == 1
