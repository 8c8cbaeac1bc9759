"""What the machine lacks, through the whole loop: no agent is called for it, and a person is told what helps."""

import socket
from pathlib import Path

import pytest

from tests.environment.environment_faults import BESIDE_A_BUG, BESIDE_A_BUG_TOO, BUG, FAULTS, RIGHT
from tests.environment.fault_scene import Build
from tests.tools.command_line import Answer

IN_A_RUN = [name for name, fault in FAULTS.items() if not fault.at_start]
AT_THE_START = [name for name, fault in FAULTS.items() if fault.at_start]


def told(answer: Answer) -> str:
    """What the terminal shows, as one line: long texts are wrapped."""
    return " ".join((answer.out + answer.err).split())


@pytest.mark.parametrize("name", IN_A_RUN)
def test_the_run_is_blocked_and_no_agent_is_called(scene: Build, plain_bin: Path, name: str) -> None:
    fault = FAULTS[name]
    made = scene(fault.files, lambda repository: fault.prepare(repository, plain_bin))
    answer = made.repair({}, **fault.settings)
    assert (made.agent_calls, answer.exit_code, *made.ending) == (0, 1, "BLOCKED", "environment"), told(answer)
    assert fault.said in told(answer)
    assert fault.remedy in told(answer)


@pytest.mark.parametrize("name", AT_THE_START)
def test_what_is_seen_before_anything_runs_is_refused(scene: Build, name: str) -> None:
    fault = FAULTS[name]
    made = scene(fault.files)
    if fault.without:
        made = made.without(fault.without)
    answer = made.repair({})
    assert (made.agent_calls, answer.exit_code, answer.out) == (0, 2, ""), told(answer)
    assert f"error[not-installed]: {fault.said}" in answer.err
    assert fault.remedy in answer.err


def test_a_port_that_another_process_holds(scene: Build) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        port = held.getsockname()[1]
        text = f"import socket\n\n\ndef test_serve():\n    socket.socket().bind(('127.0.0.1', {port}))\n"
        made = scene({"test_shop.py": text})
        answer = made.repair({}, box="host")
    assert (made.agent_calls, answer.exit_code, *made.ending) == (0, 1, "BLOCKED", "environment"), told(answer)
    assert f"port {port} is in use on this machine; free port {port}" in told(answer)


@pytest.mark.parametrize(
    "name", [*BESIDE_A_BUG, *(pytest.param(name, marks=pytest.mark.long) for name in BESIDE_A_BUG_TOO)]
)
def test_a_bug_beside_it_is_fixed_and_it_is_named(scene: Build, plain_bin: Path, name: str) -> None:
    fault = FAULTS[name]
    made = scene({**fault.files, **BUG}, lambda repository: fault.prepare(repository, plain_bin))
    answer = made.repair(RIGHT)
    assert (made.agent_calls, answer.exit_code, made.ending[0]) == (1, 0, "FIXED"), told(answer)
    assert "1 red, not the code's fault" in told(answer)
    assert fault.said in told(answer)
    assert fault.remedy in told(answer)
