"""Faults of the code that look like the environment's, through the whole loop: each is paid for, and fixed."""

import pytest

from tests.environment import code_faults
from tests.environment.fault_scene import Build


@pytest.mark.parametrize("name", code_faults.ALL)
def test_a_fault_of_the_code_reaches_the_agent_and_is_fixed(scene: Build, name: str) -> None:
    fault = code_faults.ALL[name]
    made = scene(fault.files)
    answer = made.repair(fault.fix, "--format", "json")
    (baseline,) = answer.events("baseline")
    assert (baseline["left_out"], len(baseline["findings"])) == ([], 1), answer.out
    assert (answer.ending["ending"], answer.exit_code) == ("FIXED", 0), answer.out
    assert made.agent_calls == 1
